import { randomBytes } from 'node:crypto'
import { type IncomingHttpHeaders, request } from 'node:http'
import { CarReader } from '@ipld/car'
import { encode as encodeNode } from '@ipld/dag-pb'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FormFile, type TestNetwork, form, lines, startNetwork } from './support.js'

let server: TestNetwork
let site: string
let page: string
const data = randomBytes(600_000)

async function addAll(files: FormFile[], query = ''): Promise<string> {
  const { body, headers } = form(files)
  const added = await lines(await server.post(`add?${query}`, body as Uint8Array<ArrayBuffer>, headers))
  return String(added.at(-1)?.['Hash'])
}

beforeAll(async () => {
  server = await startNetwork()
  site = await addAll(
    [
      { name: 's/data.bin', content: data },
      { name: 's/notes & more.txt', content: 'notes' },
      { name: 's/<img src=x>.md', content: '# hi' },
      { name: 's/sub/index.html', content: '<h1>index</h1>' },
    ],
    'cid-version=1',
  )
  page = await addAll([{ content: '<html><body>page</body></html>' }])
})

afterAll(async () => {
  await server.stop()
})

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Sends a plain request, with host name and path unchanged. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(server.url)
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('files by path', () => {
  it('sends a file with its type, its length and an ETag that is its CID', async () => {
    const answer = await ask(`/ipfs/${site}/notes%20%26%20more.txt`)
    expect(answer.status).toBe(200)
    expect(answer.body.toString()).toBe('notes')
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '5',
      'cache-control': 'public, max-age=29030400, immutable',
      'x-ipfs-path': `/ipfs/${site}/notes & more.txt`,
      'content-security-policy': 'sandbox',
      'access-control-allow-origin': '*',
      vary: 'Accept',
    })
    const etag = String(answer.headers.etag)
    expect(etag).toMatch(/^"bafk/)
    expect(String(answer.headers['x-ipfs-roots'])).toBe(`${site},${etag.slice(1, -1)}`)
    const again = await ask(`/ipfs/${site}/notes%20%26%20more.txt`, { 'if-none-match': `"x", W/${etag}` })
    expect(again.status).toBe(304)
    expect(again.body.length).toBe(0)
  })

  it('guesses the type of files without a name', async () => {
    const answer = await ask(`/ipfs/${page}`)
    expect(answer.headers['content-type']).toBe('text/html')
    const named = await ask(`/ipfs/${page}?filename=a%22b.json&download=true`)
    expect(named.headers['content-type']).toBe('application/json')
    expect(named.headers['content-disposition']).toBe(
      `attachment; filename="a%22b.json"; filename*=UTF-8''a%22b.json`,
    )
  })

  it('escapes control characters in the name of a download, like Kubo', async () => {
    const { headers } = await ask(`/ipfs/${page}?filename=a%0Db%7F%C3%A9`)
    expect(headers['content-disposition']).toBe(
      `inline; filename="a%0Db%7F_"; filename*=UTF-8''a%0Db%7F%C3%A9`,
    )
  })

  it('reads parameters of a media type in quotes, and refuses malformed ones, like Kubo', async () => {
    const accepting = (accept: string): Promise<Answer> => ask(`/ipfs/${page}`, { accept })
    const archive = await accepting('application/vnd.ipld.car;version="1";dups="y"')
    expect(archive.headers['content-type']).toBe('application/vnd.ipld.car; version=1; order=dfs; dups=y')
    const refused = await accepting('application/vnd.ipld.raw;foo')
    expect([refused.status, refused.body.toString()]).toEqual([
      400,
      'error while processing the Accept header: mime: invalid media parameter\n',
    ])
    const unread = await ask('/ipfs/zzzz', { accept: 'application/vnd.ipld.raw;foo' })
    expect(unread.body.toString()).toContain('invalid path "/ipfs/zzzz"')
    const uncached = await ask('/ipfs/bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq', {
      accept: 'application/vnd.ipld.raw;foo',
      'cache-control': 'only-if-cached',
    })
    expect(uncached.status).toBe(412)
  })

  it.each(['', '/', '/nothing', '?format=raw', '?filename=x.svg'])(
    'lets no page run scripts at its own origin: %s',
    async (rest) => {
      const { headers } = await ask(`/ipfs/${page}${rest}`, { accept: 'text/html' })
      expect(headers['content-security-policy']).toBe('sandbox')
    },
  )

  it('sends ranges of a file', async () => {
    const path = `/ipfs/${site}/data.bin`
    const middle = await ask(path, { range: 'bytes=262000-262999' })
    expect(middle.status).toBe(206)
    expect(middle.headers['content-range']).toBe('bytes 262000-262999/600000')
    expect(middle.body.equals(data.subarray(262_000, 263_000))).toBe(true)
    const end = await ask(path, { range: 'bytes=-10' })
    expect(end.body.equals(data.subarray(-10))).toBe(true)
    const open = await ask(path, { range: 'bytes=599999-' })
    expect(open.body.equals(data.subarray(-1))).toBe(true)
    const beyond = await ask(path, { range: 'bytes=600000-' })
    expect(beyond.status).toBe(416)
    expect(beyond.headers['content-range']).toBe('bytes */600000')
    const other = await ask(path, { range: 'bytes=0-1', 'if-range': '"another"' })
    expect(other.status).toBe(200)
  })

  it('sends the first satisfiable of several ranges, like Kubo', async () => {
    const path = `/ipfs/${site}/data.bin`
    const several = await ask(path, { range: 'bytes=700000-, 10-19,, 100-199' })
    expect(several.status).toBe(206)
    expect(several.headers['content-range']).toBe('bytes 10-19/600000')
    expect(several.body.equals(data.subarray(10, 20))).toBe(true)
    expect((await ask(path, { range: 'bytes=0-399999, 300000-' })).body.equals(data)).toBe(true)
    expect((await ask(path, { range: 'bytes=600000-, 700000-700001' })).status).toBe(416)
  })

  it('does not parse the end of a range past the file for HEAD, like Kubo', async () => {
    const file = `/ipfs/${site}/notes%20%26%20more.txt`
    const behind = await ask(file, { range: 'bytes=9-2' }, 'HEAD')
    expect([behind.status, behind.headers['content-range']]).toEqual([416, 'bytes */5'])
    const backwards = await ask(file, { range: 'bytes=3-2' }, 'HEAD')
    expect([backwards.status, backwards.headers['content-range']]).toEqual([416, undefined])
  })

  it("sends a directory's index page with the type of the requested name", async () => {
    expect((await ask(`/ipfs/${site}/sub/?filename=q.png`)).headers['content-type']).toBe('image/png')
  })

  it('reports a namespace without content in plain text, even to browsers', async () => {
    const { status, headers, body } = await ask('/', { host: 'bafkqaaa.ipld.localhost', accept: 'text/html' })
    expect([status, headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8'])
    expect(body.toString()).toBe('404 page not found\n')
  })

  it('refuses invalid ranges, like Kubo', async () => {
    const path = `/ipfs/${site}/data.bin`
    for (const range of ['bytes=5-2', 'bytes=0-1, x-y', 'bytes=-', 'bytes=1', 'lines=0-1']) {
      const answer = await ask(path, { range })
      expect(answer.status, range).toBe(400)
      expect(answer.body.toString()).toBe('invalid range request: invalid range\n')
      expect((await ask(path, { range }, 'HEAD')).status, range).toBe(416)
      const raw = await ask(`/ipfs/${site}?format=raw`, { range })
      expect(raw.status, range).toBe(400)
      expect(raw.body.toString()).toBe('invalid range request: invalid range\n')
    }
    expect((await ask(`/ipfs/${site}/`, { range: 'bytes=5-2' })).status).toBe(400)
    expect((await ask(`/ipfs/${site}?format=tar`, { range: 'bytes=5-2' })).status).toBe(200)
    expect((await ask(path, { range: 'bytes=,' })).status).toBe(200)
  })

  it('sends ranges of a block', async () => {
    const whole = await ask(`/ipfs/${site}?format=raw`)
    expect(whole.headers['accept-ranges']).toBe('bytes')
    const part = await ask(`/ipfs/${site}?format=raw`, { range: 'bytes=2-5' })
    expect(part.status).toBe(206)
    expect(part.headers['content-range']).toBe(`bytes 2-5/${whole.body.length}`)
    expect(part.headers['content-length']).toBe('4')
    expect(part.body.equals(whole.body.subarray(2, 6))).toBe(true)
  })

  it('sends all of an empty file for any range', async () => {
    // The empty raw block, inlined in its CID.
    const empty = 'bafkqaaa'
    const answer = await ask(`/ipfs/${empty}`, { range: 'bytes=0-10' })
    expect([answer.status, answer.body.length]).toEqual([200, 0])
  })

  it('answers HEAD with the headers of GET alone', async () => {
    const answer = await ask(`/ipfs/${site}/data.bin`, {}, 'HEAD')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-length']).toBe('600000')
    expect(answer.body.length).toBe(0)
    expect((await ask(`/ipfs/${site}`, {}, 'POST')).status).toBe(405)
  })
})

// Answers of Kubo 0.42.0 for a file and a directory page modified 500 s after the epoch.
describe('conditions', () => {
  const later = 'Fri, 01 Jan 2027 00:00:00 GMT'
  const then = 'Thu, 01 Jan 1970 00:08:20 GMT'
  const before = 'Thu, 01 Jan 1970 00:08:19 GMT'
  let file: string
  let directory: string

  beforeAll(async () => {
    const field = 'file?mtime=500'
    file = await addAll([{ name: 'n', content: 'hello', field }], 'preserve-mtime=true')
    directory = await addAll(
      [
        { name: 'd', type: 'application/x-directory', field },
        { name: 'd/index.html', content: 'hello' },
      ],
      'preserve-mtime=true',
    )
  })

  it.each<[Record<string, string>, number]>([
    [{ 'if-modified-since': later }, 304],
    [{ 'if-modified-since': then }, 304],
    [{ 'if-modified-since': before }, 200],
    [{ 'if-modified-since': 'Thursday, 01-Jan-70 00:08:20 GMT' }, 304],
    [{ 'if-modified-since': 'Thu Jan  1 00:08:20 1970' }, 304],
    [{ 'if-modified-since': '500' }, 200],
    [{ 'if-modified-since': later, 'if-none-match': '"x"' }, 200],
    [{ 'if-modified-since': later, 'if-none-match': '' }, 304],
    [{ 'if-unmodified-since': before }, 412],
    [{ 'if-unmodified-since': then }, 200],
    [{ range: 'bytes=0-1', 'if-range': then }, 206],
    [{ range: 'bytes=0-1', 'if-range': before }, 200],
  ])('%j has status %i', async (headers, status) => {
    for (const path of [file, `${directory}/`]) {
      expect((await ask(`/ipfs/${path}`, headers)).status).toBe(status)
      expect((await ask(`/ipfs/${path}`, headers, 'HEAD')).status).toBe(status)
    }
  })

  it('keep the caching headers without the content', async () => {
    const { headers } = await ask(`/ipfs/${file}`, { 'if-modified-since': later })
    expect(headers).toMatchObject({
      etag: `"${file}"`,
      'cache-control': 'public, max-age=29030400, immutable',
      'x-ipfs-roots': file,
    })
    expect(headers).not.toHaveProperty('last-modified')
  })

  it('of time do not apply to blocks, archives and redirects to a directory', async () => {
    const since = { 'if-modified-since': later }
    expect((await ask(`/ipfs/${file}?format=raw`, since)).status).toBe(200)
    expect((await ask(`/ipfs/${file}?format=tar`, since)).status).toBe(200)
    expect((await ask(`/ipfs/${directory}`, since)).status).toBe(301)
  })

  it('return only a status for a cached block', async () => {
    const cached = { 'cache-control': 'only-if-cached' }
    const here = await ask(`/ipfs/${directory}`, cached, 'HEAD')
    expect([here.status, here.headers.etag, here.headers['content-length']]).toEqual([
      200,
      undefined,
      undefined,
    ])
    const missing = await ask(
      '/ipfs/bafkreiaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      cached,
      'HEAD',
    )
    expect([missing.status, missing.headers['content-type']]).toEqual([412, undefined])
    const host = 'en-wikipedia--on--ipfs-org.ipns.localhost'
    const named = await ask(`/ipfs/${file}/n`, { ...cached, host })
    expect([named.status, named.body.toString()]).toEqual([
      412,
      `"/ipns/en.wikipedia-on-ipfs.org/ipfs/${file}/n" not in local datastore\n`,
    ])
  })

  it('for the record of a name without one say so, also below its own host', async () => {
    const name = 'k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8'
    const ofRecord = async (path: string, label: string): Promise<unknown[]> => {
      const { status, body } = await ask(`${path}?format=ipns-record`, {
        host: `${label}.ipns.localhost:8080`,
      })
      return [status, body.toString()]
    }
    expect(await ofRecord('/', name)).toEqual([500, 'routing: not found\n'])
    expect(await ofRecord('/x', name)).toEqual([400, 'cannot find ipns key for subpath\n'])
    const unclean = await ask(`/ipns/${name}/docs/%2e%2e/x?format=ipns-record`)
    expect([unclean.status, unclean.headers['x-ipfs-path']]).toEqual([400, `/ipns/${name}/x`])
    expect(await ofRecord('/', 'foo')).toEqual([400, "invalid cid: encoding/hex: invalid byte: U+006F 'o'\n"])
    const block = 'bafybeidskjjd4zmr7oh6ku6wp72vvbxyibcli2r6if3ocdcy7jjjusvl2u'
    const unnamed = await ask(`/ipns/${block}?format=ipns-record`)
    expect([unnamed.status, unnamed.body.toString()]).toEqual([
      400,
      'CID codec "dag-pb" is not allowed for IPNS Names, use  "libp2p-key" instead\n',
    ])
  })

  it('without a tag are ignored: an invalid range is reported before an unresolvable path', async () => {
    const { status } = await ask(`/ipfs/${file}/x`, { range: 'BYTES=0-1', 'if-none-match': '' })
    expect(status).toBe(400)
  })
})

describe('directories', () => {
  it('redirects to the slash, then serves index.html or a page that escapes names', async () => {
    const moved = await ask(`/ipfs/${site}/sub?x=1`)
    expect(moved.status).toBe(301)
    expect(moved.headers.location).toBe(`/ipfs/${site}/sub/?x=1`)
    const index = await ask(`/ipfs/${site}/sub/`)
    expect(index.body.toString()).toBe('<h1>index</h1>')
    expect(index.headers['content-type']).toBe('text/html')
    const listing = await ask(`/ipfs/${site}/`)
    expect(listing.headers.etag).toBe(`"DirIndex-standin1_CID-${site}"`)
    const html = listing.body.toString()
    expect(html).toContain('<a href="./%3Cimg%20src%3Dx%3E.md">&lt;img src=x&gt;.md</a>')
    expect(html).not.toContain('<img')
  })

  it('reports why a path does not resolve', async () => {
    const nothing = await ask(`/ipfs/${site}/nothing`)
    expect(nothing.status).toBe(404)
    expect(nothing.body.toString()).toContain(`no link named "nothing" under ${site}`)
    const missing = 'QmVLnbf4rNwkTTgSzHcQFGtSSBrDMCH4x1wEUEPvVwHbuc'
    expect((await ask(`/ipfs/${missing}`)).status).toBe(404)
    expect((await ask(`/ipfs/${missing}`, { 'cache-control': 'only-if-cached' })).status).toBe(412)
    expect((await ask('/ipfs/foo')).status).toBe(400)
    expect((await ask('/ipfs/%zz')).status).toBe(400)
    expect((await ask('/ipns/example.org')).status).toBe(500)
    const unclean = await ask('/ipns/example.org/a/%2e%2e/b')
    expect(unclean.body.toString()).toContain('failed to resolve /ipns/example.org/b: ')
    expect((await ask(`/ipfs/${page}?format=zip`)).status).toBe(200)
  })
})

describe('by host name', () => {
  it('serves the directory of the CID in the host name, without a sandbox', async () => {
    const host = `${site}.ipfs.localhost:8545`
    const answer = await ask('/sub/', { host })
    expect(answer.body.toString()).toBe('<h1>index</h1>')
    expect(answer.headers['content-security-policy']).toBeUndefined()
    expect(answer.headers['x-ipfs-path']).toBe(`/ipfs/${site}/sub/`)
    expect((await ask('/sub', { host })).headers.location).toBe('/sub/')
  })

  it('serves every form of a CID that fits into a label, as boxo does', async () => {
    const { body } = await ask(`/ipfs/${page}`)
    const modern = CID.parse(page).toV1()
    const forms = [page, modern.toString(base36), modern.toString().toUpperCase()]
    for (const label of forms) {
      const answer = await ask('/', { host: `${label}.ipfs.localhost:8080` })
      expect(answer.status, label).toBe(200)
      expect(answer.body.equals(body)).toBe(true)
    }
    expect((await ask('/', { host: 'nonsense.ipfs.localhost' })).status).toBe(400)
  })

  it('serves neither the ipld namespace nor a CID in several labels', async () => {
    const [other, several] = await Promise.all([
      ask('/', { host: `${site}.ipld.localhost:8080` }),
      ask('/', { host: `x.${site}.ipfs.localhost:8080` }),
    ])
    expect([other.status, other.body.toString()]).toEqual([404, '404 page not found\n'])
    expect(several.status).toBe(400)
  })

  it('redirects any CID used as a name to the key of its digest', async () => {
    const { headers, status } = await ask('/x', { host: `${site}.ipns.localhost:8080` })
    const key = CID.createV1(0x72, CID.parse(site).multihash).toString(base36)
    expect([status, headers.location]).toEqual([301, `http://${key}.ipns.localhost:8080/x`])
  })

  it('redirects a path at localhost to the host of its CID, with the query unchanged', async () => {
    const modern = CID.parse(page).toV1()
    const answer = await ask(`/ipfs/${page}/a?b&c=0:%2A`, { host: 'localhost:8080' })
    expect(answer.status).toBe(301)
    expect(answer.headers.location).toBe(`http://${modern}.ipfs.localhost:8080/a?b&c=0:%2A`)
  })
})

describe('verifiable formats', () => {
  it('sends a raw block', async () => {
    const answer = await ask(`/ipfs/${site}?format=raw`)
    const block = Buffer.from(await (await server.post(`block/get?arg=${site}`)).arrayBuffer())
    expect(answer.body.equals(block)).toBe(true)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/vnd.ipld.raw',
      'content-disposition': `attachment; filename="${site}.bin"; filename*=UTF-8''${site}.bin`,
      'x-content-type-options': 'nosniff',
    })
    const accepted = await ask(`/ipfs/${site}`, { accept: 'application/vnd.ipld.raw' })
    expect(accepted.body.equals(block)).toBe(true)
  })

  it('sends a CAR with the path to the target and the requested depth below it', async () => {
    const read = async (query: string): Promise<{ roots: string[]; blocks: number }> => {
      const answer = await ask(`/ipfs/${site}/data.bin?format=car&${query}`)
      expect(answer.headers['content-type']).toBe('application/vnd.ipld.car; version=1; order=dfs; dups=n')
      const reader = await CarReader.fromBytes(answer.body)
      let blocks = 0
      for await (const { cid, bytes } of reader.blocks()) {
        expect(Buffer.from(bytes).equals(await blockOf(cid.toString()))).toBe(true)
        blocks++
      }
      return { roots: (await reader.getRoots()).map(String), blocks }
    }
    const whole = await read('')
    expect(whole.blocks).toBe(1 + 1 + 3)
    expect(await read('dag-scope=block')).toEqual({ roots: whole.roots, blocks: 2 })
    expect((await read('dag-scope=entity')).blocks).toBe(5)
    const directory = await CarReader.fromBytes((await ask(`/ipfs/${site}?format=car&dag-scope=entity`)).body)
    let count = 0
    for await (const _ of directory.blocks()) count++
    expect(count).toBe(1)
  })

  // As Kubo 0.42.0: the CAR proves how far the path leads, unless its last segment is the one that cannot be a key.
  it.each([
    ['x', 500],
    ['x/y', 200],
  ])('answers a CAR request for /%s of a list with %i', async (path, status) => {
    const { body, headers } = form([{ content: '["a","b"]' }])
    const put = await server.post('dag/put', body as Uint8Array<ArrayBuffer>, headers)
    const root = ((await put.json()) as { Cid: { '/': string } }).Cid['/']
    expect((await ask(`/ipfs/${root}/${path}?format=car`)).status).toBe(status)
  })

  // Lengths of Kubo 0.42.0: a selector does not follow the link of a block that is nothing else.
  it('sends no more of a block that is a link, alone or below another', async () => {
    const put = async (data: object): Promise<string> => {
      const { body, headers } = form([{ content: JSON.stringify(data) }])
      const answer = await server.post('dag/put', body as Uint8Array<ArrayBuffer>, headers)
      return ((await answer.json()) as { Cid: { '/': string } }).Cid['/']
    }
    const alone = await put({ '/': site })
    const below = await put({ a: { '/': alone } })
    for (const [root, length] of [
      [alone, 137],
      [below, 218],
    ] as const) {
      expect((await ask(`/ipfs/${root}?format=car`)).body.length).toBe(length)
      expect((await (await server.post(`dag/export?arg=${root}`)).arrayBuffer()).byteLength).toBe(length)
    }
  })

  it('sends the blocks that a byte range of a file needs', async () => {
    // Three chunks of 262,144, 262,144 and 75,712 bytes below a root, and a directory above it.
    const blocks = async (bytes: string): Promise<number> => {
      const answer = await ask(`/ipfs/${site}/data.bin?format=car&entity-bytes=${bytes}`)
      expect(answer.status).toBe(200)
      let count = 0
      for await (const _ of (await CarReader.fromBytes(answer.body)).blocks()) count++
      return count
    }
    expect(await blocks('0:*')).toBe(5)
    expect(await blocks('0:262143')).toBe(3)
    expect(await blocks('262143:262144')).toBe(4)
    expect(await blocks('-1:*')).toBe(3)
    expect(await blocks('-75713:-75712')).toBe(4)
    expect(await blocks('700000:*')).toBe(2)
    for (const nonsense of ['5', '5:2', '*:5', 'a:b', '-2:-5']) {
      expect((await ask(`/ipfs/${site}?format=car&entity-bytes=${nonsense}`)).status).toBe(400)
    }
  })

  it('walks repeated blocks of a file once, however large it is', async () => {
    const varint = (value: number): number[] =>
      value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
    let cid = await putBlock(Uint8Array.of(7), 'raw')
    // Each node links to the next one twice: 41 blocks form a file of 2^40 bytes.
    for (let half = 1; half < 2 ** 40; half *= 2) {
      // A file (1: 2), its size (3) and those of its parts (4), as https://specs.ipfs.tech/unixfs/ numbers them.
      const sizes = [0x18, ...varint(2 * half), 0x20, ...varint(half), 0x20, ...varint(half)]
      const link = { Hash: cid, Name: '', Tsize: 0 }
      const node = { Data: Uint8Array.of(0x08, 0x02, ...sizes), Links: [link, link] }
      cid = await putBlock(encodeNode(node), 'dag-pb')
    }
    const blocks = async (bytes: string): Promise<number> => {
      const { body } = await ask(`/ipfs/${cid}?format=car&entity-bytes=${bytes}`)
      const carried = new Set<string>()
      for await (const block of (await CarReader.fromBytes(body)).blocks()) carried.add(String(block.cid))
      return carried.size
    }
    expect(await blocks('0:*')).toBe(41)
    expect(await blocks('1:-2')).toBe(41)
    expect(await blocks('5:5')).toBe(41)
  })

  it('walks repeated blocks of a sharded directory once', async () => {
    // A shard (1: 5) whose slots 0 and 1 are taken (2), of murmur3-x64-64 (5) and 256 slots (6).
    const Data = Uint8Array.of(0x08, 0x05, 0x12, 0x01, 0x03, 0x28, 0x22, 0x30, 0x80, 0x02)
    const file = await putBlock(Uint8Array.of(7), 'raw')
    let cid = await putBlock(encodeNode({ Data, Links: [{ Hash: file, Name: '00x', Tsize: 1 }] }), 'dag-pb')
    for (let level = 0; level < 40; level++) {
      const Links = ['00', '01'].map((Name) => ({ Hash: cid, Name, Tsize: 0 }))
      cid = await putBlock(encodeNode({ Data, Links }), 'dag-pb')
    }
    const { body } = await ask(`/ipfs/${cid}?format=car&dag-scope=entity`)
    let count = 0
    for await (const _ of (await CarReader.fromBytes(body)).blocks()) count++
    expect(count).toBe(41)
    const [listing] = await lines(await server.post(`ls?arg=${cid}`))
    expect(listing).toMatchObject({ Objects: [{ Links: [{ Name: 'x', Hash: file.toString() }] }] })
    const page = await ask(`/ipfs/${cid}/`, { accept: 'text/html' })
    expect(page.body.toString().match(/>x</g)).toHaveLength(1)
  })

  it('sends a block as often as it is linked on request', async () => {
    // Two chunks of 262,144 zeros below a root; the directory contains the file, and so its blocks, twice.
    const zeros = Buffer.alloc(2 * 262_144)
    const twice = await addAll(
      [
        { name: 'd/a', content: zeros },
        { name: 'd/b', content: zeros },
      ],
      'cid-version=1',
    )
    const read = async (path: string, headers: Record<string, string> = {}): Promise<number> => {
      const answer = await ask(`/ipfs/${twice}${path}`, headers)
      expect(answer.headers['content-type']).toContain('dups=y')
      let count = 0
      for await (const _ of (await CarReader.fromBytes(answer.body)).blocks()) count++
      return count
    }
    expect(await read('', { accept: 'application/vnd.ipld.car; dups=y' })).toBe(7)
    expect(await read('/a?format=car&car-dups=y')).toBe(4)
    expect(await read('/a?format=car&car-dups=y&entity-bytes=0:*')).toBe(4)
    const once = await CarReader.fromBytes((await ask(`/ipfs/${twice}?format=car`)).body)
    let blocks = 0
    for await (const _ of once.blocks()) blocks++
    expect(blocks).toBe(3)
  })

  it('reads the parameters of a CAR from the query and the media type, and refuses unsupported ones', async () => {
    const type = 'application/vnd.ipld.car'
    const accepted = await ask(`/ipfs/${site}`, { accept: `${type}; version=1; order=unk; dups=y` })
    expect(accepted.headers['content-type']).toBe(`${type}; version=1; order=unk; dups=y`)
    expect((await ask(`/ipfs/${site}`, { accept: `${type};version=2` })).status).toBe(400)
    for (const query of ['car-version=2', 'car-order=bfs', 'car-dups=maybe', 'dag-scope=some']) {
      expect((await ask(`/ipfs/${site}?format=car&${query}`)).status).toBe(400)
    }
  })

  it('sends a tar archive', async () => {
    const answer = await ask(`/ipfs/${site}?format=tar`)
    const archive = extract()
    const names: string[] = []
    const reading = (async () => {
      for await (const entry of archive) {
        names.push(entry.header.name)
        entry.resume()
      }
    })()
    archive.end(answer.body)
    await reading
    expect(names).toContain(`${site}/sub/index.html`)
  })

  // Such an archive exceeds the 2048 bytes up to which Kubo sends the length.
  it.each(['-5', '99999999999'])(
    'keeps in an archive a time that headers have no room for: %s',
    async (time) => {
      const file = await addAll(
        [{ name: 'n', content: 'x', field: `file?mtime=${time}` }],
        'preserve-mtime=true',
      )
      const answer = await ask(`/ipfs/${file}?format=tar`)
      expect(answer.headers['content-length']).toBeUndefined()
      expect(answer.body.toString('latin1')).toContain(` mtime=${time}\n`)
    },
  )
})

async function putBlock(bytes: Uint8Array, codec: string): Promise<CID> {
  const { body, headers } = form([{ content: Buffer.from(bytes) }])
  const query = `block/put?cid-codec=${codec}`
  const [stored] = await lines(await server.post(query, body as Uint8Array<ArrayBuffer>, headers))
  return CID.parse(String(stored?.['Key']))
}

async function blockOf(cid: string): Promise<Buffer> {
  return Buffer.from(await (await server.post(`block/get?arg=${cid}`)).arrayBuffer())
}

describe('data', () => {
  /** `{"a":1}`: a map of one pair, the text `a` and the number 1 (RFC 8949, 3.1). */
  const cborBytes = Buffer.from('a1616101', 'hex')

  async function put(input: string, codec: string): Promise<string> {
    const { body, headers } = form([{ content: input }])
    const query = `input-codec=dag-json&store-codec=${codec}`
    const added = await lines(await server.post(`dag/put?${query}`, body as Uint8Array<ArrayBuffer>, headers))
    return (added[0] as { Cid: { '/': string } }).Cid['/']
  }

  it('is sent as stored, JSON inline and CBOR as a download', async () => {
    const cbor = await put('{"a":1}', 'dag-cbor')
    const stored = await ask(`/ipfs/${cbor}`)
    expect(stored.body.equals(cborBytes)).toBe(true)
    expect(stored.headers).toMatchObject({
      'content-type': 'application/vnd.ipld.dag-cbor',
      'content-disposition': `attachment; filename="${cbor}.cbor"; filename*=UTF-8''${cbor}.cbor`,
      etag: `"${cbor}.dag-cbor"`,
    })
    const json = await put('{"a":1}', 'dag-json')
    const shown = await ask(`/ipfs/${json}`)
    expect(shown.body.toString()).toBe('{"a":1}')
    expect(shown.headers['content-disposition']).toMatch(/^inline; filename="[^"]*\.json"/)
    const saved = await ask(`/ipfs/${json}?download=true&filename=x.json`)
    expect(saved.headers['content-disposition']).toMatch(/^attachment; filename="x\.json"/)
  })

  it('is not converted, unless the configuration says so, and not into plain codecs', async () => {
    const cbor = await put('{"a":1}', 'dag-cbor')
    const beyond = await ask(`/ipfs/${cbor}`, { range: 'bytes=99-' })
    expect(beyond.status).toBe(416)
    expect(beyond.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-range': 'bytes */4',
    })
    expect((await ask(`/ipfs/${cbor}?format=dag-cbor`, { range: 'bytes=5-2' })).status).toBe(400)
    const refused = await ask(`/ipfs/${cbor}?format=dag-json`)
    expect(refused.status).toBe(406)
    expect(refused.body.toString()).toBe(
      'format "application/vnd.ipld.dag-json" requested but block has codec "dag-cbor": codec conversion is not ' +
        'supported, fetch raw block with ?format=raw and convert client-side\n',
    )
    await server.post('config?arg=Gateway.AllowCodecConversion&arg=true&json=true')
    const json = await ask(`/ipfs/${cbor}`, { accept: 'text/html;q=0.1, application/vnd.ipld.dag-json' })
    expect(json.body.toString()).toBe('{"a":1}')
    expect(json.headers).toMatchObject({
      'content-type': 'application/vnd.ipld.dag-json',
      etag: `"${cbor}.dag-json"`,
    })
    const plain = await ask(`/ipfs/${cbor}?format=cbor`)
    expect(plain.body.equals(cborBytes)).toBe(true)
    expect(plain.headers['content-type']).toBe('application/cbor')
    expect((await ask(`/ipfs/${cbor}?format=json`)).status).toBe(400)
    // A file is returned as content if plain JSON is accepted, and as a node on request.
    expect((await ask(`/ipfs/${page}`, { accept: 'application/json, */*' })).body.toString()).toContain(
      'page',
    )
    const node = JSON.parse((await ask(`/ipfs/${page}?format=dag-json`)).body.toString()) as object
    expect(Object.keys(node)).toEqual(['Data', 'Links'])
  })

  it('is a file even with a trailing slash, and is typed by content if the name has no extension', async () => {
    const files = await addAll([
      { name: 'f/json', content: 'plain' },
      { name: 'f/x.json', content: '{}' },
    ])
    expect((await ask(`/ipfs/${files}/json/`)).body.toString()).toBe('plain')
    expect((await ask(`/ipfs/${files}/json`)).headers['content-type']).toBe('text/plain; charset=utf-8')
    const refused = await ask(`/ipfs/${files}/x.json`, { 'if-match': '"x"' })
    expect([refused.status, refused.headers['content-type']]).toEqual([412, 'application/json'])
    // Like Kubo, which does not guess from a part.
    const part = await ask(`/ipfs/${files}/json`, { 'if-match': '"x"', range: 'bytes=1-2' })
    expect([part.status, part.headers['content-type']]).toEqual([412, undefined])
  })

  it('is resolved through its links, but paths that end within it cannot be shown', async () => {
    const linking = await put(`{"list":[1,{"page":{"/":"${page}"}}]}`, 'dag-cbor')
    const found = await ask(`/ipfs/${linking}/list/1/page`)
    expect(found.body.toString()).toContain('page')
    expect(found.headers['x-ipfs-roots']).toBe(`${linking},${linking},${linking},${page}`)
    const inside = await ask(`/ipfs/${linking}/list/0`)
    expect(inside.status).toBe(501)
    expect(inside.headers['x-ipfs-roots']).toBe(`${linking},${linking},${linking}`)
    const block = await ask(`/ipfs/${linking}/list/0?format=raw`)
    expect(block.body).toEqual((await ask(`/ipfs/${linking}?format=raw`)).body)
    expect(block.headers['content-disposition']).toContain(`filename="${linking}.bin"`)
    expect((await ask(`/ipfs/${linking}/nothing`)).status).toBe(404)
  })
})

describe('addresses', () => {
  it('of the form ipfs:// are redirected to their paths', async () => {
    const uri = encodeURIComponent(`ipfs://${site}/notes%20%26%20more.txt?download=true`)
    const moved = await ask(`/ipfs/?uri=${uri}`)
    expect(moved.status).toBe(301)
    expect(moved.headers.location).toBe(`/ipfs/${site}/notes%20%26%20more.txt?download=true`)
    expect((await ask('/ipfs/?uri=https://example.org')).status).toBe(400)
  })

  it('of a root keep their query, like Kubo', async () => {
    const moved = await ask(`/ipfs/?uri=ipfs%3A%2F%2F${site}%3Fa%3Db`)
    expect(moved.headers.location).toBe(`/ipfs/${site}/?a=b`)
  })

  it('without a valid scheme cannot be parsed, like in Kubo', async () => {
    const refused = await ask('/ipfs/?uri=web+ipfs://x')
    expect([refused.status, refused.body.toString()]).toEqual([400, 'failed to parse uri query parameter\n'])
  })

  // Like Kubo 0.42.0: Go writes the body of a redirect for GET only.
  it('that redirect have a length only for GET', async () => {
    for (const path of ['/ipfs', `/ipfs/ipfs/${site}`]) {
      expect((await ask(path)).headers).toHaveProperty('content-length')
      const { status, headers } = await ask(path, {}, 'HEAD')
      expect(headers).not.toHaveProperty('content-length')
      expect([301, 307]).toContain(status)
    }
    expect((await ask('/ipfs?x=1')).headers.location).toBe('/ipfs/?x=1')
    expect((await ask('/ipfs?')).headers.location).toBe('/ipfs/')
    const key = 'QmeLHn6NnWBQw8iiYtKiJdnyYd6n72yWu5JPmUSL1kDsNf'
    expect((await ask(`/ipns/${key}/a/%2e%2e/b?x=1`)).headers.location).toBe(
      '/ipns/k2k4r8pc8kizfryz1of8s2z4zil8r719pqxtxxdtscbepu7qylsnabwg/b?x=1',
    )
  })

  // As Kubo 0.42.0 does.
  it('that name their namespace twice keep their escapes', async () => {
    for (const rest of ['docs%2Fapi.json', 'docs/%2e%2e/index.html', 'q%3fm', 'a%20b']) {
      const { status, headers } = await ask(`/ipfs/ipfs/${site}/${rest}?b=1&a=2`)
      expect([status, headers.location]).toEqual([301, `/ipfs/${site}/${rest}?a=2&b=1`])
    }
  })

  it('never lead to another host', async () => {
    const evil = await addAll([{ name: 'e/example.org/x', content: 'x' }], 'cid-version=1')
    const moved = await ask('//example.org', { host: `${evil}.ipfs.localhost` })
    expect(moved.status).toBe(307)
    expect(moved.headers['access-control-allow-origin']).toBeUndefined()
    expect(moved.headers.location).toBe('/example.org')
  })

  // As Kubo 0.42.0 does.
  it('are open to pages of other origins once the host has been resolved', async () => {
    const moved = await ask('/docs/%2e%2e/index.html', { host: 'bafkqaaa.ipfs.localhost' })
    expect([moved.status, moved.headers.location]).toEqual([307, '/ipfs/bafkqaaa/index.html'])
    expect(moved.headers['access-control-allow-origin']).toBe('*')
  })

  it('without a name are shown inline, regardless of `download`', async () => {
    const saved = await ask(`/ipfs/${page}?download=true`)
    expect(saved.headers['content-disposition']).toBeUndefined()
  })
})

it('has no time of change for a file from the Unix epoch, and hashes the bytes of a name for its shard', async () => {
  const early = await addAll(
    [{ content: 'x', field: 'file?mode=600' }],
    'preserve-mode=true&preserve-mtime=true',
  )
  expect((await ask(`/ipfs/${early}`)).headers).not.toHaveProperty('last-modified')
  expect((await ask(`/ipfs//${early}/?`)).headers.location).toBe(`/ipfs/${early}/`)
  const names = Array.from({ length: 40 }, (_, index) => ({ name: `s/f${index}`, content: String(index) }))
  const sharded = await addAll(names, 'max-directory-links=2&max-hamt-fanout=8')
  // The CAR has the shards on the way to the missing name, as many as in Kubo 0.42.0.
  expect((await ask(`/ipfs/${sharded}/x%FF?format=car`)).body.length).toBe(651)
  expect((await ask(`/ipfs/${sharded}/y%FF?format=car`)).body.length).toBe(838)
})
