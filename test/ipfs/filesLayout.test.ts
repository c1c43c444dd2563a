import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KuboRPCClient, create } from 'kubo-rpc-client'
import { type TestNetwork, form, keyStream, startNetwork } from './support.js'

let server: TestNetwork
let ipfs: KuboRPCClient

beforeAll(async () => {
  server = await startNetwork()
  ipfs = create({ url: `${server.url}/api/v0` })
})

afterAll(async () => {
  await server.stop()
})

async function content(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of source) pieces.push(piece)
  return Buffer.concat(pieces)
}

interface Write {
  length: number
  offset: number
  options?: { truncate?: boolean; cidVersion?: 0 | 1; rawLeaves?: boolean }
}

interface Layout {
  name: string
  /** A file that is added and copied to the written path. */
  added?: { length: number; chunker: string; cidVersion?: 0 | 1; rawLeaves?: boolean; trickle?: boolean }
  writes: Write[]
  cid: string
  cumulativeSize: number
  blocks: number
}

/** Results of boxo 0.35.0 for the same writes (its `mfs` package over a memory store, Go 1.26). */
const layouts: Layout[] = [
  {
    name: 'a small file that is written over, extended, emptied and written behind a gap',
    writes: [
      { length: 11, offset: 0 },
      { length: 5, offset: 3 },
      { length: 20, offset: 5 },
      { length: 7, offset: 0, options: { truncate: true } },
      { length: 9, offset: 20 },
    ],
    cid: 'QmVyBVYy3o4REBLCxC1vcgadF1WmFHuehyJQ5AHbRhbNck',
    cumulativeSize: 243,
    blocks: 4,
  },
  {
    name: 'a file of several leaves, changed across their borders and extended',
    writes: [
      { length: 600_000, offset: 0 },
      { length: 300_000, offset: 100_000 },
      { length: 262_145, offset: 599_999 },
    ],
    cid: 'QmP2rPYjMWjJ5taAzwGjjvU1tVbY2fKhhkLCB4r9f4citZ',
    cumulativeSize: 862_400,
    blocks: 4,
  },
  {
    name: 'a file with CIDs of version 1',
    writes: [
      { length: 300_000, offset: 0, options: { cidVersion: 1 } },
      { length: 10, offset: 262_140 },
      { length: 5_000, offset: 400_000 },
    ],
    cid: 'bafybeico2kcdhxksaiym2og3dgt74if7gqbb7o6dtd45imeeaalvkv67ne',
    cumulativeSize: 406_356,
    blocks: 28,
  },
  {
    name: 'a file with raw leaves under a root of version 0',
    writes: [
      { length: 300_000, offset: 0, options: { rawLeaves: true } },
      { length: 10, offset: 5, options: { rawLeaves: true } },
    ],
    cid: 'QmfY9B8UiHXq6aUDU1ochYdW29amyKyuNMrMKFAqUrSeg8',
    cumulativeSize: 300_108,
    blocks: 2,
  },
  {
    name: 'a raw block that is changed in place and then grows',
    added: { length: 1000, chunker: 'size-262144', cidVersion: 1, rawLeaves: true },
    writes: [
      { length: 10, offset: 5 },
      { length: 100, offset: 990 },
      { length: 1000, offset: 1090 },
    ],
    cid: 'bafybeidzx5ztn7rtowiqq5z4sr2ldfn73ez6wv2rxy6hwtv7p5ltospjui',
    cumulativeSize: 2239,
    blocks: 3,
  },
  {
    name: 'a balanced file of many chunks, changed and extended',
    added: { length: 300_000, chunker: 'size-1000' },
    writes: [
      { length: 2_500, offset: 100_500 },
      { length: 600_000, offset: 300_000 },
      { length: 600_000, offset: 800_000 },
    ],
    cid: 'QmaGPn41aW4yRHHK63nTuJmQ91tMFVQvkzum9YYb4KSvys',
    cumulativeSize: 1_417_532,
    blocks: 7,
  },
  {
    name: 'a trickle file with subtrees that are not full',
    added: { length: 262_145, chunker: 'size-1000', trickle: true },
    writes: [
      { length: 300_000, offset: 262_145 },
      { length: 1, offset: 561_145 },
    ],
    cid: 'QmVus7LwfoV9UULyxGuoSRCUuLMCfG8oW4LieB2xcLf8iq',
    cumulativeSize: 577_326,
    blocks: 175,
  },
  {
    name: 'a root that is just full',
    added: { length: 174_000, chunker: 'size-1000', trickle: true },
    writes: [
      { length: 1000, offset: 174_000 },
      { length: 300_000, offset: 175_000 },
    ],
    cid: 'QmdKekNbwq7EcYgQFdMPyeAotyNT99Rvy4FgdQxSMtDf42',
    cumulativeSize: 485_164,
    blocks: 175,
  },
  {
    name: 'a file of many small subtrees that grows by zeros',
    added: { length: 10, chunker: 'size-262144' },
    writes: [
      { length: 1, offset: 8_000_000 },
      { length: 1, offset: 16_000_000 },
    ],
    cid: 'QmY3oNnLaanNS7iciywYHvKM3K2cAyLQPLHT13aRap4EuE',
    cumulativeSize: 16_224_189,
    blocks: 181,
  },
  {
    name: 'a file of many leaves that is emptied',
    added: { length: 300_000, chunker: 'size-1000' },
    writes: [{ length: 20, offset: 0, options: { truncate: true } }],
    cid: 'QmagQzewUY9i7sqmVwYGsHFdnFEyZpi1DYFneSdrDd7Ldf',
    cumulativeSize: 180,
    blocks: 2,
  },
]

/** Returns the expected content of a file after a write. */
function modelled(before: Buffer, bytes: Buffer, { offset, options }: Write): Buffer {
  const kept = options?.truncate ? Buffer.alloc(0) : before
  const after = Buffer.alloc(Math.max(kept.length, offset + bytes.length))
  kept.copy(after)
  bytes.copy(after, offset)
  return after
}

describe('the layout of MFS files', () => {
  it.each(layouts)('matches boxo: $name', async ({ name: _, added, writes, ...expected }) => {
    let model: Buffer = Buffer.alloc(0)
    await ipfs.files.rm('/file', { force: true } as object)
    if (added) {
      const { length, ...options } = added
      model = keyStream('added', length)
      const { cid } = await ipfs.add(model, { ...options, pin: false })
      await ipfs.files.cp(`/ipfs/${cid}`, '/file')
    }
    for (const [index, write] of writes.entries()) {
      const bytes = keyStream(`write ${index}`, write.length)
      await ipfs.files.write('/file', bytes, { create: true, offset: write.offset, ...write.options })
      model = modelled(model, bytes, write)
    }
    expect((await content(ipfs.files.read('/file'))).equals(model)).toBe(true)
    const { cid, cumulativeSize, blocks } = await ipfs.files.stat('/file')
    expect({ cid: String(cid), cumulativeSize, blocks }).toEqual(expected)
  })

  it('keeps the content of a small inlined file that has grown', async () => {
    const small = Buffer.from('hello world')
    const { cid } = await ipfs.add(small)
    await ipfs.files.cp(`/ipfs/${cid}`, '/grown')
    await ipfs.files.write('/grown', ', again', { offset: 11 })
    await ipfs.files.write('/grown', 'J', { offset: 0 })
    await ipfs.files.write('/grown', 'X', { offset: 13 })
    expect((await content(ipfs.files.read('/grown'))).toString()).toBe('Jello world, Xgain')
    await ipfs.files.write('/grown', 'end', { truncate: true })
    expect((await content(ipfs.files.read('/grown'))).toString()).toBe('end')
  })

  // The CIDs in Kubo 0.42.0, which remembers raw leaves until it flushes the directory.
  it.each([
    [
      'of a raw block with a mode',
      ['write', 'chmod', 'write'],
      'QmP9WKaur281NrjvTmg3gw3HNrAxp1GuHB2ft72Ev8ZKwk',
    ],
    ['after a flush', ['write', 'chmod', 'flush', 'write'], 'QmPRxfPduLuyf2TxxmFkqJaTicBbptAQeX25Z2vu2qkQzv'],
  ])('keeps the kind of new leaves %s', async (name, steps, expected) => {
    const path = encodeURIComponent(`/${name}`)
    const queries: Record<string, string> = {
      write: `write?arg=${path}&create=true`,
      chmod: `chmod?arg=600&arg=${path}`,
      flush: 'flush?arg=/',
    }
    for (const [index, step] of steps.entries()) {
      const data = form([{ name: 'data', content: index === 0 ? 'hello world' : 'and more' }])
      const options = step === 'write' ? (index === 0 ? '&cid-version=1' : '&offset=11') : ''
      const response = await server.post(`files/${queries[step]}${options}`, data.body, data.headers)
      expect(response.status).toBe(200)
    }
    expect(await (await server.post(`files/stat?arg=${path}`)).json()).toMatchObject({ Hash: expected })
  })

  it('serializes writes to one file', async () => {
    const pieces = Array.from({ length: 8 }, (_, index) => keyStream(`piece ${index}`, 50_000))
    await ipfs.files.write('/together', Buffer.alloc(400_000), { create: true })
    await Promise.all(
      pieces.map((piece, index) => ipfs.files.write('/together', piece, { offset: index * 50_000 })),
    )
    expect((await content(ipfs.files.read('/together'))).equals(Buffer.concat(pieces))).toBe(true)
  })
})

describe('a sharded MFS directory', () => {
  const sharded = 'QmbZ39AYHM8khGjZaFfZNKJFE42bmoqDbNqxmiG7fKNYmJ'
  const movedInShards = 'QmUfox4WD6XE3ktYSXzSXjVAxDAXL9MQfw1YkJQENWMrs5'
  const inOneBlock = 'QmSZefpNpJLA2ANzFv6wdgWBTZ6PBwfAcGVHUnraggkU5U'

  // Its CIDs in Kubo 0.42.0.
  it.each([
    ['stays so when it is listed', ['files/ls?arg=/s', 'files/stat?arg=/s/missing'], sharded],
    [
      'stays so when an entry is added',
      ['files/write?create=true&arg=/s/new', 'files/stat?arg=/s/new'],
      'QmQZYN3wpASXjKcfsdusojFHit4vVkG1Jk22qx21gmXZz4',
    ],
    [
      'keeps the format of the shards below it',
      ['files/chcid?arg=/s&cid-version=1'],
      'bafybeigekrbyjymvhoxrsbar7b6u5zl3prh6cgely7mbhetsyl7qogrxru',
    ],
    ['stays so when an entry is moved', ['files/mv?arg=/s/a&arg=/s/moved'], movedInShards],
    [
      'writes a shard anew that a replaced entry left with one link',
      [
        'files/write?create=true&arg=/s/long-enough',
        'files/chcid?arg=/s&cid-version=1&flush=false',
        'files/cp?force=true&arg=/s/a&arg=/s/b&flush=false',
        'files/flush?arg=/',
      ],
      'bafybeieuidl7z2kphinjrpkbfwpmy2xswjertw4qgy5nu6p5guahggxsei',
    ],
    ['becomes one block after an entry was looked up', ['files/stat?arg=/s/a'], inOneBlock],
    ['becomes one block after an entry blocked a path', ['files/mkdir?arg=/s/a'], inOneBlock],
    ['becomes one block after sizes were listed', ['files/ls?arg=/s&long=true'], inOneBlock],
    [
      'becomes one block when an entry is removed',
      ['files/rm?arg=/s/a'],
      'QmdzYHGtSkTsu6EZpwyrnHBC18Eg7HHVB95GtCRKrtgJ7R',
    ],
  ])('%s', async (_, requests, expected) => {
    const upload = form([...'abcdef'].map((name) => ({ name, content: name })))
    const options = 'wrap-with-directory=true&max-directory-links=2&max-hamt-fanout=8'
    // The answer begins before everything is stored.
    await (await server.post(`add?${options}`, upload.body, upload.headers)).text()
    await server.post('files/rm?arg=/s&force=true')
    await server.post(`files/cp?arg=/ipfs/${sharded}&arg=/s`)
    const data = form([{ name: 'data', content: 'new' }])
    for (const request of requests) await server.post(request, data.body, data.headers)
    expect(await (await server.post('files/stat?arg=/s')).json()).toMatchObject({ Hash: expected })
  })
})

const helloLeaf = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
const helloFile = 'bafybeigdmlew4vlxdvpez4l3qmptkqyjp5qv2ijcaqjymrnqjncpnpmagq'

/** The body and headers of an upload of one file. */
function formOf(content: string): [Uint8Array<ArrayBuffer>, Record<string, string>] {
  const { body, headers } = form([{ content }])
  return [Uint8Array.from(body), headers]
}

describe('copies in MFS', () => {
  const copy = (query: string): Promise<Response> => server.post(`files/cp?${query}`)

  // CIDs of Kubo 0.42.0.
  it('put the only raw leaf of a file in its place when they are flushed', async () => {
    const leaf = await server.post('block/put', ...formOf('hello'))
    expect(await leaf.json()).toMatchObject({ Key: helloLeaf })
    const links = [{ Hash: { '/': helloLeaf }, Name: '', Tsize: 5 }]
    const node = JSON.stringify({ Data: { '/': { bytes: 'CAIYBSAF' } }, Links: links })
    await server.post('dag/put?store-codec=dag-pb&input-codec=dag-json', ...formOf(node))
    await copy(`arg=/ipfs/${helloFile}&arg=/leaf`)
    await copy(`arg=/ipfs/${helloFile}&arg=/unflushed&flush=false`)
    const hashOf = async (path: string): Promise<unknown> =>
      ((await (await server.post(`files/stat?arg=${path}`)).json()) as { Hash: string }).Hash
    expect([await hashOf('/leaf'), await hashOf('/unflushed')]).toEqual([helloLeaf, helloFile])
    await server.post('files/flush?arg=/unflushed')
    expect(await hashOf('/unflushed')).toBe(helloLeaf)
  })

  it('replace a file by force and never a directory', async () => {
    const { cid } = await ipfs.add('new content')
    await ipfs.files.write('/kept/inside', 'old', { create: true, parents: true })
    const refused = await copy(`arg=/ipfs/${cid}&arg=/kept&force=true`)
    expect(await refused.json()).toMatchObject({
      Message: 'cp: cannot unlink existing file: not a file: /kept',
    })
    expect((await content(ipfs.files.read('/kept/inside'))).toString()).toBe('old')
    expect((await copy(`arg=/ipfs/${cid}&arg=/kept/inside`)).status).toBe(500)
    expect((await copy(`arg=/ipfs/${cid}&arg=/kept/inside&force=true`)).status).toBe(200)
    expect((await content(ipfs.files.read('/kept/inside'))).toString()).toBe('new content')
  })
})

describe('mode and time in MFS', () => {
  /** Go's bit for a directory in a mode. */
  const directoryMode = 2 ** 31

  const post = (path: string): Promise<Response> => server.post(`files/${path}`)

  it('change without any other change', async () => {
    await ipfs.files.write('/meta/many', Buffer.alloc(600_000, 7), { create: true, parents: true })
    await ipfs.files.write('/meta/raw', 'raw', { create: true })
    const { cid } = await ipfs.add('a raw block', { rawLeaves: true })
    await ipfs.files.cp(`/ipfs/${cid}`, '/meta/block')
    for (const path of ['/meta/many', '/meta/raw', '/meta/block', '/meta']) {
      const before = path === '/meta' ? undefined : await content(ipfs.files.read(path))
      expect((await post(`chmod?arg=0640&arg=${path}`)).status).toBe(200)
      expect((await post(`touch?arg=${path}&mtime=500&mtime-nsecs=9`)).status).toBe(200)
      const mode = path === '/meta' ? directoryMode + 0o640 : 0o640
      expect(await ipfs.files.stat(path)).toMatchObject({ mode, mtime: { secs: 500, nsecs: 9 } })
      if (before) expect((await content(ipfs.files.read(path))).equals(before)).toBe(true)
    }
    const names: string[] = []
    for await (const { name } of ipfs.files.ls('/meta')) names.push(name)
    expect(names).toEqual(['block', 'many', 'raw'])
  })

  // CIDs in Kubo 0.42.0 of a file in a directory with CIDv1.
  it.each([
    ['ababa', 'chmod?arg=0600&arg=', 'QmSdNTPpfTgNXRi9LxsqSUKNyGMzxqmRGbWqN5LHPbi5E6'],
    ['', 'chmod?arg=0600&arg=', 'QmbYz9qwUUZRwZ46bWvXiGMJY6E1C9xFpQ2Q3Exbw39HJ6'],
    ['', 'touch?mtime=500&arg=', 'Qmaxj4qCaWxzW9tcYCYBbT1GVYkKzRT8D1dNioJtadUgYW'],
  ])('of a raw block %j turn it into a file with CIDv0', async (text, change, expected) => {
    const { cid } = await ipfs.add(text, { cidVersion: 1 })
    await ipfs.files.rm('/versioned', { recursive: true, force: true } as object)
    await ipfs.files.mkdir('/versioned', { cidVersion: 1 })
    await ipfs.files.cp(`/ipfs/${cid}`, '/versioned/file')
    await post(`${change}/versioned/file`)
    expect((await ipfs.files.stat('/versioned/file')).cid.toString()).toBe(expected)
  })

  it('are kept when a file is written, with the time of the write', async () => {
    await ipfs.files.write('/dated', 'before', { create: true })
    await post('chmod?arg=600&arg=/dated')
    await post('touch?arg=/dated&mtime=500')
    const start = Math.floor(Date.now() / 1000)
    await ipfs.files.write('/dated', 'after it', { offset: 3 })
    const stat = await ipfs.files.stat('/dated')
    expect(stat.mode).toBe(0o600)
    expect(Number(stat.mtime?.secs)).toBeGreaterThanOrEqual(start)
  })

  it('may be set on the root, but not to invalid values or on missing files', async () => {
    expect((await post('chmod?arg=0700&arg=/')).status).toBe(200)
    expect((await ipfs.files.stat('/')).mode).toBe(directoryMode + 0o700)
    expect(await (await post('chmod?arg=9&arg=/')).json()).toMatchObject({
      Message: 'strconv.ParseInt: parsing "9": invalid syntax',
    })
    expect(await (await post('touch?arg=/nothing')).json()).toMatchObject({ Message: 'file does not exist' })
  })
})

describe('a directory whose data precede its link', () => {
  const block = Buffer.from('0a020801120b0a04015500001201611800', 'hex')
  const canonical = 'bafybeiejeuvfkhdhmgdvuvxnda57ip6s4v6bol2l3sqs7wwg2glftymjtq'

  it.each([
    'ls?arg=/canon&long=true',
    'stat?arg=/canon/b',
    'read?arg=/canon/b/a',
    'rm?arg=/canon/b&recursive=true',
    'chcid?arg=/canon/b&cid-version=1&hash=sha2-512',
    'mkdir?arg=/canon/b/n',
  ])('is stored in its canonical form by %s, as in Kubo', async (operation) => {
    const cid = await ipfs.block.put(block, { format: 'dag-pb', version: 1 })
    await ipfs.files.rm('/canon', { recursive: true, force: true } as object)
    await server.post(`block/rm?force=true&arg=${canonical}`)
    await ipfs.files.mkdir('/canon')
    await ipfs.files.cp(`/ipfs/${cid}`, '/canon/b', { flush: false })
    await server.post(`files/${operation}`)
    expect(await (await server.post(`block/stat?timeout=1s&arg=${canonical}`)).json()).toEqual({
      Key: canonical,
      Size: 17,
    })
  })
})
