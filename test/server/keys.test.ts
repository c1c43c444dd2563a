import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey, noAllowlists } from '../../src/provider/keys/apiKey.js'
import type { Provider } from '../../src/provider/provider.js'
import type { NodeServer } from '../../src/server/server.js'
import { loadCertificate } from '../../src/node/tls.js'
import { parseNodeOptions } from '../../src/options.js'
import { type RunningServer, call, startServer, upgrade } from '../support/server.js'

const keys = [
  createApiKey('plain', 'sesame'),
  { ...createApiKey('secretive', 'sesame'), requireSecret: true },
  { ...createApiKey('closed'), disabled: true },
  { ...createApiKey('elsewhere'), networks: ['sepolia'] },
  {
    ...createApiKey('paged'),
    allowlists: { ...noAllowlists, origins: ['*.app.example', 'https://one.example'] },
  },
  { ...createApiKey('agents'), allowlists: { ...noAllowlists, userAgents: ['wallet/'] } },
]

let server: NodeServer
let port: number
let secure: RunningServer
let ca: string
let provider: Provider
beforeAll(async () => {
  ;({ server, port, provider } = await startServer({ provider: { mode: 'guarded', keys } }))
  const certificate = await loadCertificate({ ...parseNodeOptions({}), tls: true }, ['sepolia'])
  ca = certificate?.cert ?? ''
  secure = await startServer({ provider: { mode: 'guarded', keys }, certificate })
})
afterAll(() => Promise.all([server.close(), secure.server.close()]))

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const settings = '{"jsonrpc":"2.0","error":{"code":-32002,"message":"rejected due to project ID settings"}}\n'
const noAccess =
  '{"jsonrpc":"2.0","error":{"code":-32002,"message":"project ID does not have access to local"}}\n'
const unknownHeaders = {
  'www-authenticate': 'Basic realm="Auth failure, invalid project id"',
  vary: 'Origin',
  'x-content-type-options': 'nosniff',
}

const refusals: [string, string, Record<string, string>, number, string, Record<string, string>?][] = [
  ['no key', '', {}, 401, 'project id required in the url'],
  ['no key after the slash', '/', {}, 401, 'project id required in the url'],
  ['a slash after the key', '/plain/', {}, 401, 'project id required in the url'],
  ['an unknown key', '/nobody', {}, 401, 'invalid project id\n', unknownHeaders],
  ['a wrong secret', '/plain', basic(':wrong'), 401, 'invalid project id or project secret\n'],
  [
    'the secret with a user name',
    '/plain',
    basic('plain:sesame'),
    401,
    'invalid project id or project secret\n',
  ],
  ['a disabled account', '/closed', {}, 401, 'account disabled\n'],
  ['another network', '/elsewhere', {}, 403, noAccess],
  ['a required secret that is missing', '/secretive', {}, 403, settings],
  ['an origin that is not listed', '/paged', { origin: 'https://two.example' }, 403, settings],
  ['an origin with another scheme', '/paged', { origin: 'http://one.example' }, 403, settings],
  ['no origin where some are listed', '/paged', {}, 403, settings],
  ['another user agent', '/agents', { 'user-agent': 'curl/8' }, 403, settings],
]

describe.each([
  ['HTTP', (path: string, headers: Record<string, string>) => call(port, `/v3${path}`, headers)],
  ['HTTPS', (path: string, headers: Record<string, string>) => call(secure.port, `/v3${path}`, headers, ca)],
  [
    'secure WebSocket',
    (path: string, headers: Record<string, string>) => upgrade(secure.port, `/ws/v3${path}`, headers, ca),
  ],
  ['WebSocket', (path: string, headers: Record<string, string>) => upgrade(port, `/ws/v3${path}`, headers)],
] as const)('over %s', (_, ask) => {
  test.each(refusals)('%s is refused', async (_, path, headers, status, body, expected = {}) => {
    const answer = await ask(path, headers)
    expect(answer.body).toBe(body)
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', ...expected })
  })

  test.each([
    ['/plain', {}],
    ['/plain', basic(':sesame')],
    ['/secretive', basic(':sesame')],
    ['/paged', { origin: 'https://deep.app.example' }],
    ['/paged', { origin: 'https://one.example' }],
    ['/agents', { 'user-agent': 'my wallet/2' }],
  ])('%s is admitted with %j', async (path, headers) => {
    expect([101, 200]).toContain((await ask(path, headers)).status)
  })
})

test('keys can be added and removed while the node runs', async () => {
  expect((await call(port, '/v3/late')).status).toBe(401)
  provider.keys.set(createApiKey('late'))
  expect((await call(port, '/v3/late')).status).toBe(200)
  provider.keys.delete('late')
  expect((await call(port, '/v3/late')).status).toBe(401)
})

test('the controls need no key, all other paths do', async () => {
  expect((await call(port, '/_standin/rpc')).status).toBe(200)
  expect(await call(port, '/')).toMatchObject({ status: 401, body: 'project id required in the url' })
  expect(await upgrade(port, '/')).toMatchObject({ status: 401 })
  expect(await upgrade(port, '/v3/plain')).toMatchObject({
    status: 404,
    body: 'WebSocket connections are made to /ws/v3/KEY, not to /v3/KEY\n',
  })
})
