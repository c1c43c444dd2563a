import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KuboRPCClient, create } from 'kubo-rpc-client'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { extract } from 'tar-stream'
import answers from './kuboDetails.json' with { type: 'json' }
import { type FormFile, type TestNetwork, form, keyStream, lines, startNetwork } from './support.js'

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

async function upload(path: string, files: FormFile[]): Promise<Response> {
  const { body, headers } = form(files)
  return server.post(path, Buffer.from(body), headers)
}

async function messageOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { Message?: string }).Message
}

describe('upload options and progress', () => {
  it('reports progress at every 256 KiB and at the end of the file', async () => {
    const reported: number[] = []
    await ipfs.add(keyStream('progress', 700_000), { progress: (bytes) => void reported.push(bytes) })
    expect(reported).toEqual([262_144, 524_288, 700_000])
  })

  it('carries nanoseconds beyond a second over to seconds, and refuses an invalid mode', async () => {
    const [line] = await lines(
      await upload('add?preserve-mtime=true&preserve-mode=true', [
        { name: 'a', content: 'x', field: 'file?mode=6x&mtime=5&mtime-nsecs=3000000007' },
      ]),
    )
    expect(line).toMatchObject({ Name: 'a', Mtime: 8, MtimeNsecs: 7 })
    expect(line).not.toHaveProperty('Mode')
    const stat = await ipfs.files.stat(`/ipfs/${String(line?.['Hash'])}`)
    expect(stat.mtime).toMatchObject({ secs: 8, nsecs: 7 })
  })

  // Lines of Kubo 0.42.0.
  it.each([
    ['mtime=%2B5', 'QmZepQRkvJrtaPDLic7WZre2PvTESMPEVh12ARXUiyQh9v'],
    ['mtime=5&mtime-nsecs=x', 'QmZepQRkvJrtaPDLic7WZre2PvTESMPEVh12ARXUiyQh9v'],
    ['mtime=1_0', 'QmULKig5Fxrs2sC4qt9nNduucXfb92AFYQ6Hi3YRqDmrYC'],
    ['mtime=-9223372036854775808', 'QmRmJ41snsXP9xPjJ41us8Ftoyae681i9PYK5vC34voFo6'],
    ['mtime=9223372036854775808', 'QmULKig5Fxrs2sC4qt9nNduucXfb92AFYQ6Hi3YRqDmrYC'],
    ['mtime=9223372036854775807&mtime-nsecs=1000000000', 'QmRmJ41snsXP9xPjJ41us8Ftoyae681i9PYK5vC34voFo6'],
    ['mtime=5&mtime-nsecs=9223372036854775808', 'QmRp9ud8jGkwo4PEfj9X8EDhcgG9oUTsrYUM26Y9sDzBiQ'],
    ['mtime=-62135596800', 'QmULKig5Fxrs2sC4qt9nNduucXfb92AFYQ6Hi3YRqDmrYC'],
    ['mtime=-62135596800&mtime-nsecs=1', 'QmR1Civxk5fcvXjDFi8NrtTXPpcFvDStcbD5t4XfcNZ1g9'],
  ])('reads the time %s like Go', async (time, hash) => {
    const file = { name: 'f', content: 'x', field: `file?${time}` }
    expect(await lines(await upload('add?preserve-mtime=true', [file]))).toMatchObject([{ Hash: hash }])
  })

  // Like Kubo 0.42.0: a part without a readable disposition is in no directory.
  it('ends at a part with an invalid disposition, and uses the first of two', async () => {
    const bodyOf = (...heads: string[]): string =>
      `${heads.map((head) => `--b\r\nContent-Disposition: ${head}\r\n\r\nx\r\n`).join('')}--b--\r\n`
    const namesOf = async (body: string): Promise<unknown[]> => {
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      return (await lines(await server.post('add', body, headers))).map(({ Name }) => Name)
    }
    const file = 'form-data; name="file"; filename'
    expect(await namesOf(bodyOf(`${file}=x`, `${file}=a; filename=b`, `${file}=z`))).toEqual(['x'])
    expect(await namesOf(bodyOf(`${file}="d/x"`, `${file}=a b`, `${file}="d/z"`))).toEqual(['d/x', 'd'])
    expect(await namesOf(bodyOf(`${file}=y\r\nContent-Disposition: ${file}=yy`))).toEqual(['y'])
    const typeless = await server.post('add', bodyOf(`${file}=y\r\nContent-Type: text/`), {
      'content-type': 'multipart/form-data; boundary=b',
    })
    expect(await messageOf(typeless)).toBe('mime: expected token after slash')
  })

  /** Roots from boxo 0.35.0 for the same bytes (`importer/balanced`, version 1, raw leaves). */
  it.each([
    ['rabin', 'bafybeiekvuy7goj5unsn2v6b7t4d5a2h4jpyvv5hoicbwgzrg77rhn5r5q'],
    ['rabin-65536', 'bafybeihwfy6xp4gbh663zbpj4uh57u54andvnc2kbaf5dirmi66cc5s3pa'],
    ['rabin-1024-4096-16384', 'bafybeiav5dankojoiarmwrxuzrlhpibwozxobsycp6pgngwy7jdh23r3ge'],
    ['rabin-min:100-avg:1000-max:5000', 'bafybeifmdpy2yrxhhmsuqebekq4c6zobt6wffwk2l6qtynljrs4exim2qy'],
    ['buzhash', 'bafybeiceqeofpnfk7qfctf532jdnb66euxd6ljp2tw7rdfqspesnjoktsa'],
  ])('is chunked like in boxo: %s', async (chunker, root) => {
    const data = keyStream('chunks', 2_000_000)
    const { cid } = await ipfs.add(data, { chunker, cidVersion: 1, onlyHash: true })
    expect(String(cid)).toBe(root)
  })
})

describe('symlinks', () => {
  it('are read as their targets and are files in MFS', async () => {
    const added = await lines(
      await upload('add', [
        { name: 'links', type: 'application/x-directory' },
        { name: 'links/one', content: 'some/target', type: 'application/symlink' },
      ]),
    )
    const root = String(added.at(-1)?.['Hash'])
    const path = `/ipfs/${root}/one`
    const listed = (await (await server.post(`ls?arg=${root}`)).json()) as { Objects: { Links: object[] }[] }
    expect(listed.Objects[0]?.Links).toMatchObject([
      { Name: 'one', Type: 4, Target: 'some/target', Size: 'some/target'.length },
    ])
    expect(await (await server.post(`cat?arg=${path}`)).text()).toBe('some/target')
    const packed = await (await server.post(`get?arg=${path}&compress=true`)).arrayBuffer()
    expect(gunzipSync(packed).toString()).toBe('some/target')
    expect(await ipfs.files.stat(path)).toMatchObject({ type: 'file', size: 11 })
    await ipfs.files.cp(path, '/link')
    await expect(all(ipfs.files.read('/link'))).rejects.toThrow('symlinks not yet supported')
    await expect(ipfs.files.write('/link', 'x')).rejects.toThrow('symlinks not yet supported')
  })
})

describe('archives', () => {
  // What Kubo 0.42.0 writes: rounded times into an archive that was asked for.
  it('keep the nanoseconds of times unless they are asked for as such', async () => {
    const added = await lines(
      await upload(
        'add?wrap-with-directory=true&preserve-mtime=true',
        [
          ['a', '5', '600000000'],
          ['b', '-5', '400000000'],
          ['c', '99999999999', '500000000'],
        ].map(([name = '', mtime, nsecs]) => ({
          name,
          content: 'x',
          field: `file?mtime=${mtime}&mtime-nsecs=${nsecs}`,
        })),
      ),
    )
    const root = String(added.at(-1)?.['Hash'])
    const timesOf = async (target: string): Promise<unknown[]> => {
      const times: unknown[] = []
      const archive = Buffer.from(await (await server.post(target)).arrayBuffer())
      for await (const entry of Readable.from([archive]).pipe(extract())) {
        const { name, mtime, pax } = entry.header
        if (name !== root) times.push((pax as { mtime?: string } | undefined)?.mtime ?? Number(mtime) / 1000)
        entry.resume()
      }
      return times
    }
    expect(await timesOf(`get?arg=${root}`)).toEqual(['5.6', '-4.6', '99999999999.5'])
    expect(await timesOf(`get?arg=${root}&archive=true`)).toEqual([6, '-5', '100000000000'])
  })
})

describe('refusals', () => {
  it('of data', async () => {
    const put = (query: string, content: string): Promise<Response> =>
      upload(`dag/put?${query}`, [{ content }])
    expect(await messageOf(await put('hash=nope', '{}'))).toBe('unknown multicodec: "nope"')
    expect(await messageOf(await put('hash=dag-cbor', '{}'))).toBe(
      'invalid cid: unknown multihash code 113 (0x71): no such hash registered',
    )
    const { Cid } = (await (await put('hash=0x13', '{}')).json()) as { Cid: { '/': string } }
    expect(Cid['/']).toBe(String(await ipfs.dag.put({}, { hashAlg: 'sha2-512' })))
    expect(await messageOf(await put('store-codec=dag-pb', '{"Links":[],"more":1}'))).toBe(
      'invalid key for map dagpb.PBNode: "more": no such field',
    )
    const map = await ipfs.dag.put({ Data: new Uint8Array(1) })
    // A failed write is reported in a trailer, after the start of the answer.
    const unwritable = await server.post(`dag/get?arg=${map}&output-codec=dag-pb`)
    expect([unwritable.status, await unwritable.text()]).toEqual([200, ''])
    expect(await messageOf(await server.post(`cat?arg=${map}`))).toBe('unknown node type')
    expect(await messageOf(await server.post(`files/stat?arg=/ipfs/${map}`))).toBe(
      'not unixfs node (proto or raw)',
    )
    expect(await messageOf(await upload('block/put?mhlen=33', [{ content: 'x' }]))).toBe(
      'invalid cid: requested length was too large for digest',
    )
  })

  it('of MFS, with the position at which a path fails', async () => {
    await ipfs.files.write('/plain', 'x', { create: true })
    await ipfs.files.mkdir('/folder')
    const refusal = async (task: Promise<unknown>): Promise<string> =>
      task.then(
        () => '',
        (error: Error) => error.message,
      )
    expect(await refusal(ipfs.files.stat('/plain/a/b'))).toBe('cannot access plain/a: Not a directory')
    expect(await refusal(ipfs.files.mv('/folder', '/plain/x'))).toBe('/plain/ is not a directory')
    expect(await refusal(ipfs.files.mv('/nothing', '/plain/'))).toBe('/plain/ is not a directory')
    expect(await refusal(ipfs.files.cp('/folder', '/plain/x'))).toContain('/plain/ is not a directory')
    expect(await refusal(ipfs.files.mkdir('/plain/x/y'))).toBe(' was not a directory')
    expect(await refusal(ipfs.files.mkdir('/plain'))).toBe('file already exists')
    expect(await refusal(ipfs.files.rm('plain'))).toContain(
      'plain is not a valid path: paths must start with a leading slash',
    )
    await ipfs.files.write('/folder/plain', 'y', { create: true })
    expect(await refusal(ipfs.files.mv('/plain', '/folder'))).toBe('directory already has entry by that name')
  })
})

// Like Kubo 0.42.0, which looks for pins of the CID only.
it('protects a block only under the CID that a pin contains', async () => {
  const content = await ipfs.add('pinned under version 0')
  const directory = await ipfs.dag.put({ file: content.cid }, { pin: true })
  await ipfs.pin.rm(content.cid)
  const other = content.cid.toV1()
  const answer = await lines(
    await server.post(
      `block/rm?arg=${content.cid}&arg=${other}&arg=${other}&arg=${content.cid}&arg=${directory}`,
    ),
  )
  const failure = `pin check failed: block was not found locally (offline): ipld: could not find ${content.cid}`
  expect(answer).toEqual([
    { Hash: String(content.cid), Error: `pinned via ${directory}` },
    { Hash: String(other) },
    { Hash: String(other), Error: failure },
    { Hash: String(content.cid), Error: failure },
    { Hash: String(directory), Error: 'pinned: recursive' },
  ])
  expect(await lines(await server.post('pin/verify'))).toEqual([
    {
      Cid: String(directory),
      BadNodes: [
        {
          Cid: String(content.cid),
          Err: `block was not found locally (offline): ipld: could not find ${content.cid}`,
        },
      ],
    },
  ])
  const unread = `could not retrieve links for ${content.cid}: block was not found locally (offline): ipld: could not find ${content.cid}`
  const aborted = 'garbage collection aborted: could not retrieve some links'
  expect(await messageOf(await server.post('repo/gc'))).toBe(`${unread}; ${aborted}`)
  expect(await lines(await server.post('repo/gc?stream-errors=true'))).toEqual([
    { Key: null, Error: unread },
    { Key: null, Error: aborted },
  ])
  await ipfs.pin.rm(directory)
})

// Answers of Kubo 0.42.0.
it('reads no block from an identity CID that is too long', async () => {
  const cidOf = (length: number): CID =>
    CID.createV1(0x55, Digest.create(0, new Uint8Array(length).fill(0x61)))
  const longest = await server.post(`block/stat?arg=${cidOf(128)}`)
  expect(await longest.json()).toEqual({ Key: String(cidOf(128)), Size: 128 })
  const tooLarge = 'digest too large: identity digest got 129 bytes, maximum 128'
  for (const operation of ['block/stat', 'block/get', 'cat', 'dag/get', 'dag/export', 'get', 'ls']) {
    expect(await messageOf(await server.post(`${operation}?arg=${cidOf(129)}`))).toBe(tooLarge)
  }
  const above = await ipfs.dag.put({ a: cidOf(129) })
  expect(await messageOf(await server.post(`dag/get?arg=${above}/a`))).toBe(tooLarge)
  expect(await lines(await server.post(`refs?arg=${above}`))).toEqual([
    { Ref: '', Err: 'failed to fetch all nodes' },
  ])
})

// Messages of Kubo 0.42.0.
it('looks for the hash function of a link before its block', async () => {
  const failures: [code: number, failure: string][] = [
    [0x20, 'potentially insecure hash functions not allowed'],
    [
      0x1a,
      'could not choose a hasher: no hasher registered for multihash indicator 0x1a: unknown multihash code 26 (0x1a): no such hash registered',
    ],
  ]
  for (const [code, failure] of failures) {
    const link = CID.createV1(0x55, Digest.create(code, new Uint8Array(32)))
    const above = await ipfs.dag.put({ a: link })
    expect(await messageOf(await server.post(`dag/get?arg=${above}/a/b`))).toBe(
      `error traversing node at "a": could not load link "${link}": ${failure}`,
    )
  }
})

// Messages of Kubo 0.42.0.
it('looks for the decoder of a block that a path enters before the block', async () => {
  const root = 'bafibeifecreu3vw6xy2tmduvahxl2s3h7h6hjzyjnf6aoevku5vszcxkvm'
  const failure = 'could not choose a decoder: no decoder registered for multicodec code 80 (0x50)'
  for (const operation of ['dag/stat', 'resolve', 'ls', 'block/stat']) {
    expect(await messageOf(await server.post(`${operation}?arg=${root}/dir`))).toBe(failure)
  }
  const above = await ipfs.dag.put({ a: CID.parse(root) })
  expect(await messageOf(await server.post(`dag/get?arg=${above}/a/b`))).toBe(
    `error traversing node at "a": could not load link "${root}": ${failure}`,
  )
  expect(await messageOf(await server.post(`dag/get?arg=${above}/a`))).toContain('ipld: could not find')
})

it('creates directories in the requested CID format, and keeps the format of existing ones', async () => {
  await ipfs.files.mkdir('/formats')
  await ipfs.files.write('/formats/x', 'x', { create: true, parents: true, cidVersion: 1 })
  await ipfs.files.mkdir('/formats', { parents: true, cidVersion: 1 })
  expect((await ipfs.files.stat('/formats')).cid.version).toBe(0)
  await ipfs.files.mkdir('/formats/deep', { parents: true, hashAlg: 'sha2-512' })
  expect((await ipfs.files.stat('/formats/deep')).cid.multihash.code).toBe(0x13)
})

it('lists CIDs of mutable directories unchanged, and the types of linked data', async () => {
  await ipfs.files.write('/based/x', 'x', { create: true, parents: true })
  const listed = await server.post('files/ls?arg=/based&long=true&cid-base=base32')
  const { cid: file } = await ipfs.files.stat('/based/x')
  expect(await listed.json()).toMatchObject({ Entries: [{ Name: 'x', Hash: file.toString() }] })
  const { cid: directory } = await ipfs.files.stat('/based')
  const linking = await ipfs.dag.put({ b: file, d: directory })
  const types = await server.post(`ls?arg=${linking}`)
  expect(await types.json()).toMatchObject({ Objects: [{ Links: [{ Type: 2 }, { Type: 1 }] }] })
})

it('has its addresses in the configuration as clients dial them', async () => {
  const { Addresses } = await ipfs.config.getAll()
  expect(Addresses?.API).toBe('/ip4/127.0.0.1/tcp/5001')
})

it('imports the blocks of a CAR without its root, and reports it', async () => {
  const kept = await ipfs.block.put(keyStream('kept', 100))
  const root = await ipfs.dag.put({ kept })
  const car = Buffer.concat(await all(ipfs.dag.export(root)))
  const section = 1 + root.bytes.length + (await ipfs.block.get(root)).length
  const header = 1 + (car[0] ?? 0)
  const withoutRoot = Buffer.concat([car.subarray(0, header), car.subarray(header + section)])
  await all(ipfs.block.rm([root, kept]))
  const [imported] = await all(
    ipfs.dag.import(
      (async function* () {
        yield withoutRoot
      })(),
    ),
  )
  expect(imported?.root.pinErrorMsg).toBe(`ipld: could not find ${root}`)
  expect((await ipfs.block.stat(kept)).size).toBe(100)
})

it('changes large directories in place, with the same result as adding their entries', async () => {
  const add = async (names: string[]): Promise<CID> => {
    const added = await all(
      ipfs.addAll(names.map((name) => ({ path: `d/${name}`, content: name.slice(0, 9) }))),
    )
    return added.at(-1)?.cid as CID
  }
  // A directory is sharded above 262,144 bytes of names and CIDs: these have 34 + 200 each.
  const names = Array.from({ length: 1130 }, (_, index) => `${index}-`.padEnd(200, 'x'))
  await ipfs.files.cp(`/ipfs/${await add(names)}`, '/large')
  const [first = '', second = '', ...rest] = names
  await ipfs.files.rm(`/large/${first}`)
  await ipfs.files.mv(`/large/${second}`, '/large/moved')
  const moved = (await ipfs.files.stat('/large/moved')).cid
  expect(moved.toString()).toBe((await ipfs.add(second.slice(0, 9))).cid.toString())
  await ipfs.files.rm('/large/moved')
  expect((await ipfs.files.stat('/large')).cid.toString()).toBe((await add(rest)).toString())
  const few = rest.slice(0, 1119)
  for (const name of rest.slice(1119)) await ipfs.files.rm(`/large/${name}`)
  expect((await ipfs.files.stat('/large')).cid.toString()).toBe((await add(few)).toString())
  expect((await ipfs.dag.get((await ipfs.files.stat('/large')).cid)).value).toHaveProperty(
    'Links.length',
    1119,
  )
})

// Target, content of the uploaded file, status and body of Kubo 0.42.0 with an empty repository, in order.
it('answers like Kubo for hash functions, times and listings at the edges', async () => {
  const empty = await startNetwork()
  for (const [target, content, status, body] of answers as [string, string | null, number, string][]) {
    const sent = content === null ? undefined : form([{ name: 'data', content }])
    const response = await empty.post(target, sent?.body, sent?.headers)
    expect([target, response.status, await response.text()]).toEqual([target, status, body])
  }
  await empty.stop()
})

// Like Kubo 0.42.0, which encodes each directory before it writes it.
it('writes the entries of an archive in the order of their names, with clean paths', async () => {
  const link = (name: string): string => `\x12\x0a\x0a\x05\x01U\0\x01h\x12\x01${name}`
  const block = `${link('b')}${link('a')}${link('/')}${link('.')}\x0a\x02\x08\x01`
  const [stored] = await lines(await upload('block/put?cid-codec=dag-pb', [{ content: block }]))
  const names: string[] = []
  const archive = extract()
  archive.on('entry', ({ name }, content, next) => {
    names.push(name)
    content.on('end', next).resume()
  })
  const root = String(stored?.['Key'])
  const response = await server.post(`get?arg=${root}`)
  Readable.from(Buffer.from(await response.arrayBuffer())).pipe(archive)
  await new Promise<void>((resolve) => archive.on('finish', () => resolve()))
  expect(names).toEqual([root, root, root, `${root}/a`, `${root}/b`])
})

// Like Kubo 0.42.0, which stores it again from memory.
it('keeps the root of the mutable files when its block is removed', async () => {
  const empty = await startNetwork()
  const root = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
  expect(await (await empty.post(`block/rm?arg=${root}`)).json()).toEqual({ Hash: root })
  expect(await (await empty.post('files/stat?arg=/')).json()).toMatchObject({ Hash: root, Blocks: 0 })
  expect((await empty.post('files/mkdir?arg=/d')).status).toBe(200)
  await empty.stop()
})

// Like Kubo 0.42.0: the file is created before its content is looked for, and the year 1 is no time.
it('creates a file without content, and treats the year 1 as no time', async () => {
  const written = await upload('files/write?arg=/created&create=true&count=0', [])
  expect(await messageOf(written)).toBe('expected a file argument')
  expect((await server.post('files/stat?arg=/created')).status).toBe(200)
  const field = 'file?mtime=-62135596800'
  const [line] = await lines(await upload('add?preserve-mtime=true', [{ name: 'a', content: 'x', field }]))
  expect(line).toEqual({ Name: 'a', Hash: 'QmULKig5Fxrs2sC4qt9nNduucXfb92AFYQ6Hi3YRqDmrYC', Size: '9' })
})

// Like Kubo 0.42.0, which only for a single link would never end.
it('treats an option of zero links as the default, whatever is configured', async () => {
  const node = await startNetwork()
  const add = async (links: number): Promise<unknown> => {
    const { body, headers } = form([{ name: 'a', content: 'qwertyuiop'.repeat(110_000) }])
    return (await node.post(`add?quieter=true&max-file-links=${links}`, body, headers)).json()
  }
  await node.post('config?arg=Import.UnixFSFileMaxLinks&arg=2&json=true')
  expect(await add(0)).toMatchObject({ Hash: 'QmSrrySa57xJUHLN4kJVs3iMJTh4xnqXHS24VCyGxh2XhP' })
  expect(await add(3)).toMatchObject({ Hash: 'QmX3y1N7XmKQLdFoEYzEVLyNqjhXeNsDX961xt5URnUDWn' })
  expect(await add(1)).toMatchObject({ Message: 'a file of several chunks needs nodes with two links' })
  await node.stop()
})
