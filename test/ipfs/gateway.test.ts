import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { CarReader } from '@ipld/car'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { form, lines, startNetwork } from './support.js'
import type { FormFile, TestNetwork } from './support.js'

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

/** A plain request, so that host name and path go out as they are given. */
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
      'x-ipfs-path': `/ipfs/${site}/notes%20&%20more.txt`,
      'content-security-policy': 'sandbox',
      'access-control-allow-origin': '*',
    })
    const etag = String(answer.headers.etag)
    expect(etag).toMatch(/^"bafk/)
    expect(String(answer.headers['x-ipfs-roots'])).toBe(`${site},${etag.slice(1, -1)}`)
    const again = await ask(`/ipfs/${site}/notes%20%26%20more.txt`, { 'if-none-match': `"x", W/${etag}` })
    expect(again.status).toBe(304)
    expect(again.body.length).toBe(0)
  })

  it('guesses the type of what has no name', async () => {
    const answer = await ask(`/ipfs/${page}`)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    const named = await ask(`/ipfs/${page}?filename=a%22b.json&download=true`)
    expect(named.headers['content-type']).toBe('application/json')
    expect(named.headers['content-disposition']).toBe(
      `attachment; filename="a_b.json"; filename*=UTF-8''a%22b.json`,
    )
  })

  it('sends parts of a file', async () => {
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
    const nonsense = await ask(path, { range: 'bytes=5-2' })
    expect(nonsense.status).toBe(200)
    const other = await ask(path, { range: 'bytes=0-1', 'if-range': '"another"' })
    expect(other.status).toBe(200)
  })

  it('answers HEAD with the headers of GET alone', async () => {
    const answer = await ask(`/ipfs/${site}/data.bin`, {}, 'HEAD')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-length']).toBe('600000')
    expect(answer.body.length).toBe(0)
    expect((await ask(`/ipfs/${site}`, {}, 'POST')).status).toBe(405)
  })
})

describe('directories', () => {
  it('redirects to the slash, then serves index.html or a page that escapes names', async () => {
    const moved = await ask(`/ipfs/${site}/sub?x=1`)
    expect(moved.status).toBe(301)
    expect(moved.headers.location).toBe(`/ipfs/${site}/sub/?x=1`)
    const index = await ask(`/ipfs/${site}/sub/`)
    expect(index.body.toString()).toBe('<h1>index</h1>')
    expect(index.headers['content-type']).toBe('text/html; charset=utf-8')
    const listing = await ask(`/ipfs/${site}/`)
    expect(listing.headers.etag).toBe(`"DirIndex-1_CID-${site}"`)
    const html = listing.body.toString()
    expect(html).toContain('<a href="./%3Cimg%20src%3Dx%3E.md">&lt;img src=x&gt;.md</a>')
    expect(html).not.toContain('<img')
  })

  it('says why a path leads nowhere', async () => {
    const nothing = await ask(`/ipfs/${site}/nothing`)
    expect(nothing.status).toBe(404)
    expect(nothing.body.toString()).toContain(`no link named "nothing" under ${site}`)
    const missing = 'QmVLnbf4rNwkTTgSzHcQFGtSSBrDMCH4x1wEUEPvVwHbuc'
    expect((await ask(`/ipfs/${missing}`)).status).toBe(404)
    expect((await ask(`/ipfs/${missing}`, { 'cache-control': 'only-if-cached' })).status).toBe(412)
    expect((await ask('/ipfs/foo')).status).toBe(400)
    expect((await ask('/ipfs/%zz')).status).toBe(400)
    expect((await ask('/ipns/example.org')).status).toBe(501)
    expect((await ask(`/ipfs/${site}?format=zip`)).status).toBe(400)
  })
})

describe('by host name', () => {
  it('serves the directory of the CID in the host name, without a sandbox', async () => {
    const host = `${site}.ipfs.localhost:8545`
    const answer = await ask('/sub/', { host })
    expect(answer.body.toString()).toBe('<h1>index</h1>')
    expect(answer.headers['content-security-policy']).toBeUndefined()
    expect(answer.headers['x-ipfs-path']).toBe(`/ipfs/${site}/sub`)
    expect((await ask('/sub', { host })).headers.location).toBe('/sub/')
  })

  it('sends other forms of a CID to the one that host names keep', async () => {
    const modern = CID.parse(page).toV1()
    const answer = await ask('/a?b', { host: `${modern.toString(base36)}.ipfs.localhost` })
    expect(answer.status).toBe(301)
    expect(answer.headers.location).toBe(`http://${modern}.ipfs.localhost/a?b=`)
    expect((await ask('/', { host: 'nonsense.ipfs.localhost' })).status).toBe(400)
  })
})

describe('forms that can be verified', () => {
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

  it('sends a CAR with the way to the end and as much below it as was asked for', async () => {
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
})

async function blockOf(cid: string): Promise<Buffer> {
  return Buffer.from(await (await server.post(`block/get?arg=${cid}`)).arrayBuffer())
}
