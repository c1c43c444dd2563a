import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KuboRPCClient, create } from 'kubo-rpc-client'
import { code as dagCborCode, encode as encodeCbor } from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { code as rawCode } from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { extract } from 'tar-stream'
import { type TestNetwork, lines, startNetwork } from './support.js'

let server: TestNetwork
let ipfs: KuboRPCClient

beforeAll(async () => {
  server = await startNetwork({ addresses: () => ['/ip4/127.0.0.1/tcp/5001/http'] })
  ipfs = create({ url: `${server.url}/api/v0` })
})

afterAll(async () => {
  await server.stop()
})

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

async function content(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await all(source))
}

const missing = CID.parse('QmVLnbf4rNwkTTgSzHcQFGtSSBrDMCH4x1wEUEPvVwHbuc')

/** Returns the CID that refs/local prints for a block: raw, whatever its codec. */
const localRef = (cid: CID): string => CID.createV1(rawCode, cid.multihash).toString()

describe('files through kubo-rpc-client', () => {
  it('adds bytes and reads them back whole and in part', async () => {
    const data = randomBytes(600_000)
    const { cid, path, size } = await ipfs.add(data)
    expect(path).toBe(cid.toString())
    expect(size).toBe(600_194)
    expect((await content(ipfs.cat(cid))).equals(data)).toBe(true)
    const part = await content(ipfs.cat(cid, { offset: 262_000, length: 1000 }))
    expect(part.equals(data.subarray(262_000, 263_000))).toBe(true)
  })

  it('adds a directory, lists it and downloads it as tar', async () => {
    const added = await all(
      ipfs.addAll(
        [
          { path: 'top/a.txt', content: 'A' },
          { path: 'top/sub/b & c.txt', content: 'B' },
          { path: 'top/empty' },
        ],
        { cidVersion: 1 },
      ),
    )
    expect(added.map((entry) => entry.path)).toEqual([
      'top/a.txt',
      'top/sub/b & c.txt',
      'top/empty',
      'top/sub',
      'top',
    ])
    const root = added.at(-1)?.cid as CID
    const listed = await all(ipfs.ls(root))
    expect(listed.map(({ name, type, size }) => ({ name, type, size }))).toEqual([
      { name: 'a.txt', type: 'file', size: 1 },
      { name: 'empty', type: 'dir', size: 0 },
      { name: 'sub', type: 'dir', size: 0 },
    ])
    expect((await content(ipfs.cat(`${root}/sub/b & c.txt`))).toString()).toBe('B')

    const archive = extract()
    const names: string[] = []
    const reading = (async () => {
      for await (const entry of archive) {
        names.push(`${entry.header.type} ${entry.header.name}`)
        entry.resume()
      }
    })()
    archive.end(await content(ipfs.get(root)))
    await reading
    expect(names).toEqual([
      `directory ${root}`,
      `file ${root}/a.txt`,
      `directory ${root}/empty`,
      `directory ${root}/sub`,
      `file ${root}/sub/b & c.txt`,
    ])
  })

  it('reports progress, mode and time as requested', async () => {
    const progress: number[] = []
    const preserve: object = { preserveMode: true, preserveMtime: true }
    const added = await ipfs.add(
      { path: 'f', content: new Uint8Array(600_000), mode: 0o600, mtime: { secs: 5n, nsecs: 6 } },
      { progress: (bytes) => void progress.push(bytes), ...preserve },
    )
    expect(progress.at(-1)).toBe(600_000)
    expect(progress.length).toBeGreaterThan(2)
    expect(added.mode).toBe(0o600)
    expect(added.mtime).toMatchObject({ secs: 5, nsecs: 6 })
    const stat = await ipfs.files.stat(`/ipfs/${added.cid}`)
    expect(stat.mode).toBe(0o600)
    expect(stat.mtime).toMatchObject({ secs: 5, nsecs: 6 })
  })
})

describe('pins through kubo-rpc-client', () => {
  it('distinguishes recursive, direct and indirect pins', async () => {
    const added = await all(ipfs.addAll([{ path: 'd/x', content: 'pinned file' }], { pin: false }))
    const [file, directory] = added.map((entry) => entry.cid) as [CID, CID]
    await expect(all(ipfs.pin.ls({ paths: file }))).rejects.toThrow(`path '${file}' is not pinned`)
    await ipfs.pin.add(directory, { name: 'a name' })
    const [indirect] = await all(ipfs.pin.ls({ paths: file }))
    expect(indirect?.type).toBe(`indirect through ${directory}`)
    const [named] = await all(ipfs.pin.ls({ paths: directory, names: true }))
    expect(named).toMatchObject({ type: 'recursive', name: 'a name' })
    await expect(ipfs.pin.rm(file)).rejects.toThrow('not pinned or pinned indirectly')
    await ipfs.pin.add(file, { recursive: false })
    expect((await all(ipfs.pin.ls({ type: 'direct' }))).map(({ cid }) => cid.toString())).toContain(
      file.toString(),
    )
    await expect(ipfs.pin.add(directory, { recursive: false })).rejects.toThrow(
      `pin: ${directory} already pinned recursively`,
    )
    await expect(ipfs.pin.rm(directory, { recursive: false })).rejects.toThrow(
      `${directory} is pinned recursively`,
    )
    await ipfs.pin.rm(directory)
    await ipfs.pin.rm(file)
    await expect(all(ipfs.pin.ls({ paths: directory }))).rejects.toThrow('is not pinned')
  })

  it('refuses to pin a missing block, and waits for it until the timeout', async () => {
    await expect(ipfs.pin.add(missing)).rejects.toThrow(
      `block was not found locally (offline): ipld: could not find ${missing}`,
    )
    await expect(content(ipfs.cat(missing, { timeout: 50 }))).rejects.toThrow('context deadline exceeded')
    await expect(all(ipfs.refs(missing, { timeout: 50 }))).rejects.toThrow('context deadline exceeded')
    await expect(ipfs.files.cp(missing, '/never', { timeout: 50 })).rejects.toThrow(
      'context deadline exceeded',
    )
    expect(await all(ipfs.refs(missing))).toEqual([
      { ref: '', err: `block was not found locally (offline): ipld: could not find ${missing}` },
    ])
  })
})

describe('blocks and data through kubo-rpc-client', () => {
  it('puts, gets, measures and removes blocks', async () => {
    const data = randomBytes(100)
    const cid = await ipfs.block.put(data)
    expect(Buffer.from(await ipfs.block.get(cid))).toEqual(data)
    expect((await ipfs.block.stat(cid)).size).toBe(100)
    const [removed] = await all(ipfs.block.rm(cid))
    expect(removed?.error).toBeUndefined()
    const [again] = await all(ipfs.block.rm(cid))
    expect(again?.error?.message).toContain('could not find')
    const pinned = await ipfs.block.put(data, { pin: true })
    const [kept] = await all(ipfs.block.rm(pinned))
    expect(kept?.error?.message).toBe('pinned: recursive')
  })

  it('removes many blocks except those in use, with a line for each in order', async () => {
    const inside = await ipfs.block.put(randomBytes(50))
    const root = await ipfs.dag.put({ inside }, { pin: true })
    const direct = await ipfs.block.put(randomBytes(50))
    await ipfs.pin.add(direct, { recursive: false })
    const free = await Promise.all([1, 2].map(() => ipfs.block.put(randomBytes(50))))
    const lines = await all(ipfs.block.rm([free[0] as CID, inside, missing, direct, root, free[1] as CID]))
    expect(lines.map(({ error }) => error?.message)).toEqual([
      undefined,
      `pinned via ${root}`,
      `ipld: could not find ${missing}`,
      'pinned: direct',
      'pinned: recursive',
      undefined,
    ])
    const stored = (await all(ipfs.refs.local())).map(({ ref }) => ref)
    expect(free.some((cid) => stored.includes(localRef(cid)))).toBe(false)
    expect([inside, direct, root].every((cid) => stored.includes(localRef(cid)))).toBe(true)
    const answered = await (await server.post(`block/rm?arg=${inside}&arg=foo&arg=${direct}`)).text()
    expect(answered).toContain(`pinned via ${root}`)
    expect(answered).not.toContain(direct.toString())
  })

  it('resolves the path to each block in turn: not through one already removed', async () => {
    const leaf = await ipfs.block.put(randomBytes(50))
    const root = await ipfs.dag.put({ leaf })
    const through = `arg=${root}&arg=/ipld/${root}/leaf`
    const answered = await (await server.post(`block/rm?${through}`)).text()
    expect(answered.trim().split('\n')).toEqual([`{"Hash":"${root}"}`])
    expect((await ipfs.block.stat(leaf)).size).toBe(50)
    await ipfs.dag.put({ leaf })
    const inTurn = `arg=/ipld/${root}/leaf&arg=${root}`
    const both = await (await server.post(`block/rm?${inTurn}`)).text()
    expect(both.trim().split('\n')).toEqual([`{"Hash":"${leaf}"}`, `{"Hash":"${root}"}`])
  })

  it('refuses a block that is too large as Kubo does, however large it is', async () => {
    for (const megabytes of [3, 70]) {
      await expect(ipfs.block.put(new Uint8Array(megabytes * 1_000_000))).rejects.toThrow(
        'produced block is over 2MiB',
      )
    }
    const large = await ipfs.block.put(new Uint8Array(3_000_000), { allowBigBlock: true })
    expect((await ipfs.block.stat(large)).size).toBe(3_000_000)
  })

  it('counts a block once that is stored under two codecs', async () => {
    const before = await ipfs.repo.stat()
    const data = encodeCbor({ twice: true })
    const cids = [await ipfs.block.put(data), await ipfs.block.put(data, { format: 'dag-cbor' })]
    expect(new Set(cids.map((cid) => cid.code))).toEqual(new Set([0x55, dagCborCode]))
    expect((await ipfs.repo.stat()).numObjects).toBe(before.numObjects + 1n)
    await all(ipfs.block.rm(cids[0] as CID))
    expect((await ipfs.repo.stat()).numObjects).toBe(before.numObjects)
  })

  it('stores data and resolves paths within it', async () => {
    const leaf = await ipfs.dag.put({ hello: 'world', list: [1, 2] })
    const root = await ipfs.dag.put({ leaf, bytes: Uint8Array.of(1, 2) }, { storeCodec: 'dag-json' })
    expect((await ipfs.dag.get(root)).value).toMatchObject({ bytes: Uint8Array.of(1, 2) })
    expect((await ipfs.dag.get(root, { path: 'leaf/hello' })).value).toBe('world')
    const resolved = await ipfs.dag.resolve(`${root}/leaf/list/1`)
    expect(resolved.cid.toString()).toBe(leaf.toString())
    expect(resolved.remainderPath).toBe('/list/1')
    await expect(ipfs.dag.resolve(`${root}/nothing`)).rejects.toThrow('key not found: "nothing"')
  })

  it('finds links by name in dag-pb nodes without UnixFS data', async () => {
    const leaf = await ipfs.dag.put({ deep: [10, 20] })
    const Data = new TextEncoder().encode('any bytes')
    const Links = [{ Name: 'leaf', Tsize: 9, Hash: leaf }]
    for (const node of [{ Data, Links }, { Links }]) {
      const root = await ipfs.dag.put(node, { storeCodec: 'dag-pb' })
      const resolved = await ipfs.dag.resolve(root, { path: 'leaf/deep/1' })
      expect(resolved.cid.toString()).toBe(leaf.toString())
      expect(resolved.remainderPath).toBe('/deep/1')
      await expect(ipfs.dag.resolve(root, { path: 'other' })).rejects.toThrow(
        `no link named "other" under ${root}`,
      )
    }
  })

  it('reports for each root of a CAR whether it was pinned, and counts the blocks in any case', async () => {
    const header = encodeCbor({ version: 1, roots: [missing] })
    const car = Buffer.concat([Buffer.from([header.length]), header])
    const body = new FormData()
    body.append('file', new Blob([car]))
    const answer = await lines(await server.post('dag/import?stats=true', body))
    expect(answer).toEqual([
      { Root: { Cid: { '/': missing.toString() }, PinErrorMsg: `ipld: could not find ${missing}` } },
      { Stats: { BlockCount: 0, BlockBytesCount: 0 } },
    ])
  })

  it('imports no block from a CAR with a block that does not match its codec or is too big', async () => {
    const importing = async (code: number, bytes: Uint8Array, query = ''): Promise<Response> => {
      const cid = CID.createV1(code, await sha256.digest(bytes))
      const header = encodeCbor({ version: 1, roots: [cid] })
      const section = Buffer.concat([cid.bytes, bytes])
      const body = new FormData()
      body.append('file', new Blob([varint(header.length), header, varint(section.length), section]))
      const response = await server.post(`dag/import?pin-roots=false&${query}`, body)
      const text = await response.text()
      if (response.status === 200) expect(text).toBe('')
      else expect(text).toContain(`import failed at block \\"${cid}\\": `)
      return response
    }
    const map = encodeCbor({ a: 1 })
    expect((await importing(dagCborCode, map)).status).toBe(200)
    expect((await importing(dagCborCode, map.subarray(0, map.length - 1))).status).toBe(500)
    // An Ethereum block: Kubo has no decoder for it, but plugins for git-raw and dag-jose.
    expect((await importing(0x90, map)).status).toBe(500)
    expect((await importing(0x85, encodeCbor({ a: 2 }))).status).toBe(500)
    const big = new Uint8Array(2 * 1024 * 1024 + 1)
    expect((await importing(0x55, big)).status).toBe(500)
    expect((await importing(0x55, big, 'allow-big-block=true')).status).toBe(200)

    function varint(value: number): Uint8Array<ArrayBuffer> {
      const digits: number[] = []
      for (let rest = value; rest > 0; rest >>>= 7) digits.push((rest & 0x7f) | (rest >= 0x80 ? 0x80 : 0))
      return Uint8Array.from(digits)
    }
  })

  it('transfers a DAG in a CAR', async () => {
    const { cid } = await ipfs.add(randomBytes(700_000), { pin: false })
    const car = await content(ipfs.dag.export(cid))
    const other = await startNetwork()
    try {
      const client = create({ url: `${other.url}/api/v0` })
      const [imported] = await all(
        client.dag.import(
          (async function* () {
            yield car
          })(),
        ),
      )
      expect(imported?.root.cid.toString()).toBe(cid.toString())
      expect(imported?.root.pinErrorMsg).toBe('')
      expect((await content(client.cat(cid))).equals(await content(ipfs.cat(cid)))).toBe(true)
      expect((await content(client.dag.export(cid))).equals(car)).toBe(true)
    } finally {
      await other.stop()
    }
  })

  it('lists references to the requested depth', async () => {
    const child = await ipfs.dag.put({ name: 'child' })
    const middle = await ipfs.dag.put({ child })
    const root = await ipfs.dag.put({ middle, child })
    const refs = async (options: object): Promise<string[]> =>
      (await all(ipfs.refs(root, options))).map(({ ref }) => ref)
    expect(await refs({})).toEqual([middle, child].sort(byKeyOrder).map(String))
    expect(await refs({ recursive: true, unique: true })).toHaveLength(2)
    expect(await refs({ recursive: true })).toHaveLength(3)
    // Links in data have no names (go-ipld-legacy, `node.go`); those of dag-pb nodes do.
    expect(await refs({ format: '<src> <linkname> <dst>' })).toContain(`${root}  ${middle}`)
    expect(await refs({ recursive: true, maxDepth: 0 })).toEqual([])

    /** dag-cbor orders keys by length, then by bytes: child before middle. */
    function byKeyOrder(a: CID): number {
      return a.equals(child) ? -1 : 1
    }
  })
})

describe('mutable files through kubo-rpc-client', () => {
  it('writes, reads, lists, moves, copies and removes', async () => {
    await ipfs.files.write('/a/b/file', 'Hello, World!', { create: true, parents: true })
    const stat = await ipfs.files.stat('/a/b/file')
    expect(stat).toMatchObject({ size: 13, cumulativeSize: 71, blocks: 1, type: 'file', withLocality: false })
    await ipfs.files.write('/a/b/file', 'abc', { offset: 7 })
    expect((await content(ipfs.files.read('/a/b/file'))).toString()).toBe('Hello, abcld!')
    await ipfs.files.write('/a/b/file', 'z', { offset: 15 })
    expect((await content(ipfs.files.read('/a/b/file'))).toString()).toBe('Hello, abcld!\0\0z')
    expect((await content(ipfs.files.read('/a/b/file', { offset: 7, length: 3 }))).toString()).toBe('abc')

    await ipfs.files.cp('/a/b/file', '/copy')
    await ipfs.files.mv('/copy', '/a')
    expect((await all(ipfs.files.ls('/a'))).map(({ name, type, size }) => ({ name, type, size }))).toEqual([
      { name: 'b', type: 'directory', size: 0 },
      { name: 'copy', type: 'file', size: 16 },
    ])
    await expect(ipfs.files.cp('/a/b/file', '/a/copy')).rejects.toThrow('already has entry by that name')
    await expect(ipfs.files.rm('/a')).rejects.toThrow('use -r to remove directories')
    await ipfs.files.rm('/a/copy')
    await expect(ipfs.files.stat('/a/copy')).rejects.toThrow('file does not exist')
    const { cid } = await ipfs.add('from the network')
    await ipfs.files.cp(`/ipfs/${cid}`, '/a/added')
    expect((await ipfs.files.stat('/a/added')).cid.toString()).toBe(cid.toString())
    await ipfs.files.rm('/a', { recursive: true })
    expect(await all(ipfs.files.ls('/'))).toEqual([])
  })

  it('reports how files are built and which blocks are local', async () => {
    await ipfs.files.mkdir('/made/deep', { parents: true, cidVersion: 1, hashAlg: 'sha2-512' })
    expect((await ipfs.files.stat('/made/deep')).cid).toMatchObject({ version: 1 })
    expect((await ipfs.files.stat('/made/deep')).cid.multihash.code).toBe(0x13)
    await expect(ipfs.files.mkdir('/made/deep')).rejects.toThrow('file already exists')
    await ipfs.files.mkdir('/made/deep', { parents: true })
    await ipfs.files.write('/made/cut', '123456', { create: true, length: 3 })
    await ipfs.files.write('/made/cut', 'xy', { truncate: true })
    const local = await ipfs.files.stat('/made/cut', { withLocal: true })
    expect(local).toMatchObject({ size: 2, withLocality: true, local: true, sizeLocal: local.cumulativeSize })
    await expect(ipfs.files.write('/made/new', 'x')).rejects.toThrow('file does not exist')
    await expect(content(ipfs.files.read('/made'))).rejects.toThrow('/made was not a file')
    await expect(ipfs.files.mv('/', '/elsewhere')).rejects.toThrow('file does not exist')
    expect((await ipfs.files.flush('/made')).toString()).toBe((await ipfs.files.stat('/made')).cid.toString())
    await ipfs.files.rm(['/made', '/never/there'], { recursive: true, force: true } as object)
    expect(await all(ipfs.files.ls('/'))).toEqual([])
  })

  it('keeps files across a restart, with the same CIDs as Kubo', async () => {
    await ipfs.files.mkdir('/kept/deep', { parents: true })
    await ipfs.files.write('/kept/deep/x', 'x', { create: true })
    const before = await ipfs.files.stat('/')
    await server.restart()
    const after = await ipfs.files.stat('/')
    expect(after.cid.toString()).toBe(before.cid.toString())
    await expect(ipfs.files.mkdir('/kept')).rejects.toThrow('file already exists')
    await ipfs.files.rm('/kept', { recursive: true })
    const empty = await ipfs.files.stat('/')
    expect(empty.cid.toString()).toBe('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
  })
})

describe('the repository through kubo-rpc-client', () => {
  it('collects garbage and keeps everything else', async () => {
    const { cid: garbage } = await ipfs.add(randomBytes(1_000_000), { pin: false })
    const { cid: pinned } = await ipfs.add(randomBytes(300_000))
    await ipfs.files.write('/needed', randomBytes(300_000), { create: true })
    const before = await ipfs.repo.stat()
    const removed = (await all(ipfs.repo.gc())).map(({ cid }) => String(cid))
    // Kubo reports every removed block as raw.
    const asRaw = (cid: CID) => CID.createV1(0x55, cid.multihash).toString()
    expect(removed).toContain(asRaw(garbage))
    expect(removed).not.toContain(asRaw(pinned))
    const after = await ipfs.repo.stat()
    expect(before.numObjects - after.numObjects).toBe(BigInt(removed.length))
    expect(Number(before.repoSize - after.repoSize)).toBeGreaterThan(1_000_000)
    expect((await content(ipfs.cat(pinned))).length).toBe(300_000)
    expect((await content(ipfs.files.read('/needed'))).length).toBe(300_000)
    await expect(content(ipfs.cat(garbage))).rejects.toThrow('block was not found locally')
  })

  it('reports on its store and its blocks', async () => {
    const { cid } = await ipfs.add('something to count', { rawLeaves: true })
    const stat = await ipfs.repo.stat()
    expect(stat.numObjects).toBeGreaterThan(0n)
    expect(stat).toMatchObject({ repoPath: server.directory, version: 'fs-repo@18' })
    expect(await ipfs.repo.version()).toBe('18')
    expect((await all(ipfs.refs.local())).map(({ ref }) => ref)).toContain(cid.toString())
    const [packed, unpacked] = await Promise.all([
      content(ipfs.get(cid, { compress: true, compressionLevel: 9 })),
      content(ipfs.cat(cid)),
    ])
    expect(gunzipSync(packed)).toEqual(unpacked)
  })

  it('identifies itself', async () => {
    const { id, addresses } = await ipfs.id()
    expect(String(id)).toMatch(/^12D3KooW/)
    expect(addresses.map(String)).toEqual([`/ip4/127.0.0.1/tcp/5001/http/p2p/${id}`])
    expect((await ipfs.key.list())[0]?.name).toBe('self')
    expect((await ipfs.version()).version).toMatch(/^\d+\.\d+\.\d+$/)
    const local = (await all(ipfs.refs.local())).map(({ ref }) => ref)
    expect(local.length).toBeGreaterThan(0)
    expect(local.every((ref) => ref.startsWith('bafkrei'))).toBe(true)
  })
})
