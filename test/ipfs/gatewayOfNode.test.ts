import { type IncomingHttpHeaders, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StandinNode, createNode } from '../../src/index.js'
import { form } from './support.js'

let open: StandinNode
let guarded: StandinNode
let root: string
const authorization = `Basic ${Buffer.from('k1:s1').toString('base64')}`

beforeAll(async () => {
  open = await createNode({ port: 0 })
  guarded = await createNode({ port: 0, key: ['k1:s1'] })
  root = await addSite(open)
  await addSite(guarded)
})

afterAll(async () => {
  await open.stop()
  await guarded.stop()
})

async function addSite(node: StandinNode): Promise<string> {
  const { body, headers } = form([
    { name: 's/a.txt', content: 'content of a' },
    { name: 's/page.html', content: '<script>document.title = origin</script>' },
  ])
  const response = await fetch(`${node.ipfsUrl}/api/v0/add?cid-version=1`, {
    method: 'POST',
    body: body as Uint8Array<ArrayBuffer>,
    headers: { ...headers, authorization },
  })
  const lines = (await response.text()).trim().split('\n')
  return (JSON.parse(lines.at(-1) ?? '') as { Hash: string }).Hash
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

function ask(
  base: string,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let body = ''
      response.on('data', (bytes: Buffer) => (body += bytes.toString()))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('on both ports', () => {
  const bases = () => [open.ipfsUrl, open.url]

  test('files by path, in a sandbox', async () => {
    for (const base of bases()) {
      const answer = await ask(base, `/ipfs/${root}/a.txt`)
      expect(answer).toMatchObject({ status: 200, body: 'content of a' })
      expect(answer.headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'content-length': '12',
        'content-security-policy': 'sandbox',
      })
    }
  })

  test('files by host name, with their own origin', async () => {
    for (const base of bases()) {
      const answer = await ask(base, '/a.txt', { headers: { host: `${root}.ipfs.localhost:8545` } })
      expect(answer).toMatchObject({ status: 200, body: 'content of a' })
      expect(answer.headers['content-security-policy']).toBeUndefined()
    }
  })

  test('HEAD, OPTIONS and 304 have no body', async () => {
    for (const base of bases()) {
      const head = await ask(base, `/ipfs/${root}/a.txt`, { method: 'HEAD' })
      expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '12', ''])
      const preflight = await ask(base, `/ipfs/${root}/a.txt`, { method: 'OPTIONS' })
      expect([preflight.status, preflight.headers['transfer-encoding'], preflight.body]).toEqual([
        200,
        undefined,
        '',
      ])
      const known = await ask(base, `/ipfs/${root}/a.txt`, { headers: { 'if-none-match': '*' } })
      expect([known.status, known.headers['transfer-encoding'], known.body]).toEqual([304, undefined, ''])
    }
  })

  test('nothing but the gateway answers under the host name of content', async () => {
    const host = `${root}.ipfs.localhost`
    for (const path of ['/_standin/requests', '/api/v0/version', '/v3/local']) {
      const answer = await ask(open.url, path, { headers: { host } })
      expect([answer.status, answer.body]).toEqual([404, expect.stringContaining('failed to resolve /ipfs/')])
      expect((await ask(open.url, path, { method: 'POST', headers: { host } })).status).toBe(405)
    }
  })
})

// Answers of Kubo 0.42.0, except that it redirects forever if only the proxy names the host of content.
describe('the host that a proxy names', () => {
  const answerTo = async (path: string, headers: Record<string, string>): Promise<unknown[]> => {
    const { status, headers: sent, body } = await ask(open.ipfsUrl, path, { headers })
    return [status, sent.location ?? sent['x-ipfs-path'], body]
  }
  const missing = '404 page not found\n'

  test('counts as the host, whatever the path', async () => {
    const host = `${root}.ipfs.localhost:8080`
    const forwarded = { host, 'x-forwarded-host': host }
    const bare = { 'x-forwarded-host': host }
    expect(await answerTo('/a.txt', forwarded)).toEqual([200, `/ipfs/${root}/a.txt`, 'content of a'])
    for (const headers of [forwarded, bare]) {
      for (const path of ['/version', '/api/v0/version', '/foo', `/ipfs/${root}`]) {
        const parent = `no link named "${path.split('/')[1]}" under ${root}`
        const shown = `/ipfs/${root}${path}`
        expect(await answerTo(path, headers)).toEqual([404, shown, `failed to resolve ${shown}: ${parent}\n`])
      }
    }
  })

  test('is not the host of content that was reached', async () => {
    const headers = { host: `${root}.ipfs.localhost:8080`, 'x-forwarded-host': 'localhost:8080' }
    for (const path of ['/a.txt', '/version', '/foo', '/api/v0/version', '/_standin/requests']) {
      expect(await answerTo(path, headers)).toEqual([404, undefined, missing])
    }
    const address = `http://${root}.ipfs.localhost:8080/a.txt`
    expect((await answerTo(`/ipfs/${root}/a.txt`, headers)).slice(0, 2)).toEqual([301, address])
  })

  test('holds content only in lower case', async () => {
    const host = `${root}.IPFS.localhost:8080`
    expect(await answerTo('/a.txt', { host })).toEqual([404, undefined, missing])
    expect(await answerTo('/version', { host })).toEqual([
      200,
      undefined,
      'Commit: \nClient Version: kubo/0.42.0\n',
    ])
    expect(await answerTo(`/ipfs/${root}/a.txt`, { host })).toEqual([
      200,
      `/ipfs/${root}/a.txt`,
      'content of a',
    ])
  })

  test('redirects names of peers, and unclean paths', async () => {
    const host = 'localhost:8080'
    expect((await answerTo('/p2p/x', { host })).slice(0, 2)).toEqual([301, 'http://x.p2p.localhost:8080/'])
    const peer = 'k2k4r8mhzyf4m73rltxf0ppvpqjhot4m6wnh4ck2gy4hy1znpcyoi2l8.p2p.localhost'
    const [status, location] = await answerTo('/a?b=c', {
      host: 'QmWfVY9y3xjsixTgbd9AorQxH7VtMpzfx2HaWtsoUYecaX.p2p.localhost',
    })
    expect([status, location]).toEqual([301, `http://${peer}/a?b=c`])
    expect(await answerTo('/a', { host: peer })).toEqual([404, undefined, '404 page not found\n'])
    expect((await answerTo('/a/../version', { host: '127.0.0.1:8080' })).slice(0, 2)).toEqual([
      307,
      '/version',
    ])
  })
})

describe('pages from the gateway', () => {
  test.each(['null', 'ROOT'])('are not trusted: %s', async (name) => {
    const { port } = new URL(open.url)
    const origin = name === 'null' ? name : `http://${root}.ipfs.localhost:${port}`
    const headers = { origin }
    expect((await ask(open.url, '/_standin/requests', { headers })).status).toBe(403)
    expect((await ask(open.ipfsUrl, '/api/v0/version', { method: 'POST', headers })).status).toBe(403)
    const call = await fetch(open.url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"evm_mine"}',
    })
    expect(await call.json()).toMatchObject({ error: { code: -32002 } })
  })

  test('may be read by any page', async () => {
    const answer = await ask(open.url, `/ipfs/${root}/a.txt`, { headers: { origin: 'https://app.example' } })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, '*'])
  })
})

test('is public even if operations require credentials', async () => {
  expect((await ask(guarded.ipfsUrl, `/ipfs/${root}/a.txt`)).body).toBe('content of a')
  expect((await ask(guarded.ipfsUrl, `/api/v0/cat?arg=${root}/a.txt`, { method: 'POST' })).status).toBe(401)
})

test('is in the journal', async () => {
  await ask(open.url, `/ipfs/${root}/a.txt?download=true`)
  const entries = open.journal.list({ method: 'gateway' })
  expect(entries.at(-1)).toMatchObject({
    transport: 'files',
    params: `/ipfs/${root}/a.txt?download=true`,
    status: 200,
    bytes: 12,
  })
})

test.each(['version', 'foo'])(
  'the answer to %s for a page of this host says once that it varies',
  async (operation) => {
    const origin = 'http://localhost:3000'
    const answer = await fetch(`${open.ipfsUrl}/api/v0/${operation}`, { method: 'POST', headers: { origin } })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('vary')).toBe('Origin')
  },
)
