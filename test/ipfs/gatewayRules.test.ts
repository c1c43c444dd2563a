import { type IncomingHttpHeaders, request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestNetwork, form, lines, startNetwork } from './support.js'

let server: TestNetwork

beforeAll(async () => {
  server = await startNetwork()
})

afterAll(async () => {
  await server.stop()
})

/** Adds a site with these rules. */
async function addSite(rules: string): Promise<string> {
  const { body, headers } = form([
    { name: 'site/_redirects', content: rules },
    { name: 'site/index.html', content: 'home' },
    { name: 'site/404.html', content: 'lost' },
    { name: 'site/docs/api.json', content: '{}' },
  ])
  const added = await lines(await server.post('add?cid-version=1', Buffer.from(body), headers))
  return String(added.at(-1)?.['Hash'])
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Returns the answer of the gateway at the host of a site, or at a path without such a host. */
function ask(site: string, path: string, host = `${site}.ipfs.localhost:8080`): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(server.url)
    const sent = request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    sent.on('error', reject).end()
  })
}

// Statuses and addresses come from boxo 0.40.0 with the same rules.
it('redirects an unresolved path by its rule, with placeholders filled in', async () => {
  const site = await addSite(
    '/old /docs/\n/moved/:a/:b /:b?from=:a 302\n/posts/* https://example.com/:splat 308\n# a comment\n',
  )
  const places = [
    ['/old', 301, '/docs/'],
    ['/old/', 301, '/docs/'],
    ['/moved/1/2', 302, '/2?from=1'],
    ['/moved/1/2?z=%20y', 302, '/2?from=1&z=+y'],
    ['/posts/a/b', 308, 'https://example.com/a/b'],
  ] as const
  for (const [path, status, location] of places) {
    const answer = await ask(site, path)
    expect([answer.status, answer.headers.location], path).toEqual([status, location])
  }
  expect((await ask(site, '/posts')).status).toBe(404)
})

it('serves another file instead of a missing one, and pages with the status of their rule', async () => {
  const site = await addSite('/api /docs/api.json 200\n/gone /404.html 410\n/* /404.html 404')
  const rewritten = await ask(site, '/api')
  expect(rewritten).toMatchObject({ status: 200, text: '{}' })
  expect(rewritten.headers['x-ipfs-path']).toBe(`/ipfs/${site}/api`)
  expect(await ask(site, '/gone')).toMatchObject({ status: 410, text: 'lost' })
  expect(await ask(site, '/x/y')).toMatchObject({ status: 404, text: 'lost' })
  expect(await ask(site, '/docs/api.json')).toMatchObject({ status: 200, text: '{}' })
})

it.each([
  ['/a', "missing 'to' path"],
  ['/a /b 301 x', "must match format 'from to [status]'"],
  ['/a /b 200!', 'parsing status "200!": forced redirects (or "shadowing") are not supported'],
  ['/a /b 999', 'parsing status "999": status code 999 is not supported'],
  ['/a/*b /c', "parsing 'from': path must end with asterisk"],
  ['a /c', "parsing 'from': path must begin with '/'"],
  ['/a mailto:x', "parsing 'to': invalid URL scheme"],
])('reports the error of the rule %s', async (rule, problem) => {
  const site = await addSite(rule)
  expect(await ask(site, '/missing')).toMatchObject({
    status: 500,
    text: `trouble processing _redirects file at "/ipfs/${site}/_redirects": could not parse _redirects: ${problem}\n`,
  })
  // The CID is shown as the host has it.
  const shouted = site.toUpperCase()
  expect((await ask(site, '/missing', `${shouted}.ipfs.localhost:8080`)).text).toContain(
    `"/ipfs/${shouted}/_redirects"`,
  )
})

it('has no rules if sites share a host', async () => {
  const site = await addSite('/* /404.html 200')
  expect((await ask(site, `/ipfs/${site}/missing`, '127.0.0.1')).status).toBe(404)
})

it('sends addresses that fit into headers, and none that placeholders make endless', async () => {
  const site = await addSite(`/control /x?a=\u0001b\u00e9\n/:a /${':a'.repeat(10_000)}\n`)
  expect((await ask(site, '/control')).headers.location).toBe('/x?a=%01b%C3%A9')
  const endless = await ask(site, `/${'x'.repeat(1000)}`)
  expect(endless.status).toBe(500)
  expect(endless.text).toContain("'to' path is longer than 65536 characters")
})
