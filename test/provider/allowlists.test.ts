import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey, noAllowlists } from '../../src/provider/keys/apiKey.js'
import { type RunningServer, call, request, startServer, upgrade } from '../support/server.js'

const own = '0x00000000000000000000000000000000000000aa'
const other = '0x00000000000000000000000000000000000000bb'
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = (pair: typeof ec) => pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const token = {
  required: 'all' as const,
  lists: noAllowlists,
  audience: 'standin.example',
  keys: [
    { id: 'rsa', name: 'one', publicKey: pem(rsa) },
    { id: 'ec', name: 'two', publicKey: pem(ec) },
  ],
}

const keys = [
  {
    ...createApiKey('methods', 'sesame'),
    allowlists: { ...noAllowlists, methods: ['test_echo', 'eth_call'] },
  },
  {
    ...createApiKey('cheap', 'sesame'),
    plan: 'free',
    allowlists: { ...noAllowlists, methods: ['eth_call'] },
  },
  { ...createApiKey('addresses'), allowlists: { ...noAllowlists, addresses: [own] } },
  { ...createApiKey('token'), token },
  {
    ...createApiKey('listed'),
    token: { ...token, required: 'listed' as const, lists: { ...noAllowlists, methods: ['test_echo'] } },
  },
  { ...createApiKey('narrow'), token, allowlists: { ...noAllowlists, methods: ['test_other'] } },
]

let running: RunningServer
beforeAll(async () => {
  running = await startServer({ provider: { mode: 'guarded', keys } })
})
afterAll(() => running.server.close())

const refusedBody =
  '{"jsonrpc":"2.0","error":{"code":-32002,"message":"rejected due to project ID settings"}}\n'
const refused = { status: 403, body: refusedBody, headers: { 'content-type': 'text/plain; charset=utf-8' } }
const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`:${secret}`).toString('base64')}` })

function ask(key: string, method: string, params: unknown[], headers: Record<string, string> = {}) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return request(running.port, `/v3/${key}`, {
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
}

describe('methods', () => {
  test('an unlisted method is refused: with 403 alone, under its id in a batch', async () => {
    expect(await ask('methods', 'test_echo', [])).toMatchObject({ status: 200 })
    expect(await ask('methods', 'eth_chainId', [])).toMatchObject(refused)
    const batch = await request(running.port, '/v3/methods', {
      headers: { 'content-type': 'application/json' },
      body: '[{"jsonrpc":"2.0","id":1,"method":"test_echo"},{"jsonrpc":"2.0","id":2,"method":"eth_chainId"}]',
    })
    expect(batch.status).toBe(200)
    expect(JSON.parse(batch.body)).toEqual([
      { jsonrpc: '2.0', id: 1, result: 'null' },
      { jsonrpc: '2.0', id: 2, error: { code: -32002, message: 'rejected due to project ID settings' } },
    ])
  })

  test('the secret lifts the restriction, except on the free plan', async () => {
    expect(await ask('methods', 'eth_chainId', [], basic('sesame'))).toMatchObject({ status: 200 })
    expect(await ask('cheap', 'eth_chainId', [], basic('sesame'))).toMatchObject(refused)
  })
})

describe('addresses', () => {
  test.each([
    ['eth_call', [{ to: own }], 200],
    ['eth_call', [{ to: own.toUpperCase().replace('0X', '0x') }], 200],
    ['eth_call', [{ to: other }], 403],
    ['eth_call', [{}], 403],
    ['eth_estimateGas', [{ to: other }], 403],
    ['eth_getLogs', [{ address: own }], 200],
    ['eth_getLogs', [{ address: [own, other] }], 403],
    ['eth_getLogs', [{}], 403],
    ['eth_getBalance', [other, 'latest'], 403],
    ['eth_getCode', [own], 200],
    ['eth_getStorageAt', [other, '0x0'], 403],
    ['eth_getTransactionCount', [other], 403],
    ['eth_chainId', [], 200],
    ['eth_getProof', [other, []], 200],
  ])('%s %j: %i', async (method, params, status) => {
    expect((await ask('addresses', method, params)).status).toBe(status)
  })
})

describe('JSON Web Tokens', () => {
  interface Claims {
    kid?: string
    typ?: string
    audience?: string
    expires?: number
    claims?: Record<string, unknown>
    signer?: typeof ec
  }
  const now = Math.floor(Date.now() / 1000)
  const sign = async ({
    kid = 'ec',
    typ = 'JWT',
    audience = 'standin.example',
    expires = now + 600,
    ...rest
  }: Claims) => {
    const { claims = {}, signer = kid === 'rsa' ? rsa : ec } = rest
    const jwt = await new SignJWT(claims)
      .setProtectedHeader({ alg: kid === 'rsa' ? 'RS256' : 'ES256', kid, typ })
      .setAudience(audience)
      .setExpirationTime(expires)
      .sign(signer.privateKey)
    return { authorization: `Bearer ${jwt}` }
  }
  const invalid = {
    status: 401,
    body: 'invalid JWT\n',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  }

  test.each(['rsa', 'ec'])('a token signed with the %s key is admitted', async (kid) => {
    const headers = await sign({ kid })
    expect(await call(running.port, '/v3/token', headers)).toMatchObject({ status: 200 })
    expect(await upgrade(running.port, '/ws/v3/token', headers)).toMatchObject({ status: 101 })
  })

  test.each<[string, Claims]>([
    ['expired', { expires: now - 1 }],
    ['for another audience', { audience: 'other.example' }],
    ['of an unknown key', { kid: 'other' }],
    ['of another type', { typ: 'JOSE' }],
    ['signed by another signer', { signer: generateKeyPairSync('ec', { namedCurve: 'P-256' }) }],
  ])('a token %s is refused', async (_, claims) => {
    const headers = await sign(claims)
    expect(await call(running.port, '/v3/token', headers)).toMatchObject(invalid)
    expect(await upgrade(running.port, '/ws/v3/token', headers)).toMatchObject(invalid)
  })

  test('a missing or malformed token is refused', async () => {
    expect(await call(running.port, '/v3/token')).toMatchObject(invalid)
    expect(await call(running.port, '/v3/token', { authorization: 'Bearer abc' })).toMatchObject(invalid)
  })

  test('only the configured requests need a token', async () => {
    expect(await ask('listed', 'eth_chainId', [])).toMatchObject({ status: 200 })
    expect(await ask('listed', 'test_echo', [])).toMatchObject(invalid)
    expect(await ask('listed', 'test_echo', [], await sign({}))).toMatchObject({ status: 200 })
  })

  test('allowlists in the token replace those of the key', async () => {
    expect(await ask('narrow', 'test_echo', [], await sign({}))).toMatchObject(refused)
    const headers = await sign({ claims: { methods: ['test_echo'] } })
    expect(await ask('narrow', 'test_echo', [], headers)).toMatchObject({ status: 200 })
    expect(await ask('narrow', 'test_other', [], headers)).toMatchObject(refused)
    const page = await sign({ claims: { methods: ['test_echo'], origins: ['https://app.example'] } })
    expect(await ask('narrow', 'test_echo', [], page)).toMatchObject(refused)
    expect(await ask('narrow', 'test_echo', [], { ...page, origin: 'https://app.example' })).toMatchObject({
      status: 200,
    })
  })
})
