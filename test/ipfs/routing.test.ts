import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StandinNode, createNode } from '../../src/index.js'

const raw = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
const name = 'k51qzi5uqu5dhi84sgso564yby2s6expoxuvfynid625vodh2c9sy87ao0xbse'
const otherName = 'k51qzi5uqu5dk8x5kzpowh3dba9so14hanon1g6frczobcnlwi1k5kbgvlp5uh'
/** A record of the name that Kubo 0.42.0 signed, valid until 2126. */
const record = Buffer.from(
  'ChYvaXBmcy9iYWZrcWFibGltdndneTN5EkB1ICuRDoXijMa3EUUjZBcDr5zNDX7my6DKG8i7CnkBaNos7CLS9w5fTerl+KE6iCyhTU6xK+IW' +
    'hPTl7OuP6HMGGAAiHjIxMjYtMTEtMDRUMTU6MTE6MjYuNjQzMDcwMzM3WigAMIDwksvdCEJAeO0TEVM2Ge6LuHt6XzDgFQMuveNYQLtG' +
    'qJp/RGJykEhwBxxNh56Wlc7oie7gA6E7AH5OQRYI9tuH6RJN7lMWAEpspWNUVEwbAAAARdlkuABlVmFsdWVWL2lwZnMvYmFma3FhYmxp' +
    'bXZ3Z3kzeWhTZXF1ZW5jZQBoVmFsaWRpdHlYHjIxMjYtMTEtMDRUMTU6MTE6MjYuNjQzMDcwMzM3WmxWYWxpZGl0eVR5cGUA',
  'base64',
)
const recordType = 'application/vnd.ipfs.ipns-record'
const noResultsCache = 'public, max-age=15, stale-while-revalidate=172800, stale-if-error=172800'

let node: StandinNode
let guarded: StandinNode
beforeAll(async () => {
  node = await createNode({ port: 0 })
  guarded = await createNode({ port: 0, key: ['k1:s1'] })
})
afterAll(async () => {
  await node.stop()
  await guarded.stop()
})

const ask = (path: string, init: RequestInit = {}, base = node.ipfsUrl): Promise<Response> =>
  fetch(new URL(`/routing/v1/${path}`, base), { redirect: 'manual', ...init })

describe('the answers of an offline Kubo', () => {
  it.each([
    [`providers/${raw}`, {}, 200, 'application/json', '{"Providers":[]}'],
    [`providers/${raw}`, { accept: 'application/x-ndjson' }, 200, 'application/x-ndjson', ''],
    [
      `providers/${raw}`,
      { accept: 'text/html' },
      400,
      'text/plain; charset=utf-8',
      'no supported content types',
    ],
    [
      `providers/${raw}`,
      { accept: 'text/html;q' },
      400,
      'text/plain; charset=utf-8',
      'unable to parse Accept header: mime: invalid media parameter',
    ],
    [
      'providers/xx',
      {},
      400,
      'text/plain; charset=utf-8',
      'unable to parse CID: invalid cid: selected encoding not supported',
    ],
    [`peers/${name}`, {}, 200, 'application/json', '{"Peers":[]}'],
    [`peers/${raw}`, {}, 200, 'application/json', '{"Peers":[]}'],
    [
      'peers/%FF',
      {},
      400,
      'text/plain; charset=utf-8',
      'unable to parse PeerID "\\xff": failed to parse peer ID: invalid cid: cid too short',
    ],
    [
      'peers/xx',
      {},
      400,
      'text/plain; charset=utf-8',
      'unable to parse PeerID "xx": failed to parse peer ID: invalid cid: selected encoding not supported',
    ],
    [
      `ipns/${raw}`,
      {},
      400,
      'text/plain; charset=utf-8',
      'peer ID CID is not valid: CID codec "raw" is not allowed for IPNS Names, use  "libp2p-key" instead',
    ],
    [
      `ipns/${name}`,
      { accept: 'application/json' },
      406,
      'text/plain; charset=utf-8',
      "content type in 'Accept' header is not supported, retry with 'application/vnd.ipfs.ipns-record'",
    ],
    [`ipns/${otherName}`, {}, 200, 'text/plain; charset=utf-8', 'delegate error: routing: not found\n'],
    [
      `dht/closest/peers/${raw}`,
      {},
      500,
      'text/plain; charset=utf-8',
      'delegate error: GetClosestPeers not supported: DHT is not available',
    ],
    [
      'dht/closest/peers/x',
      {},
      400,
      'text/plain; charset=utf-8',
      'unable to parse key "x": unable to parse as CID or PeerID: invalid cid: cid too short\nfailed to parse peer ID: invalid cid: cid too short',
    ],
    ['foo', {}, 404, 'text/plain; charset=utf-8', '404 page not found\n'],
    [`ipns/${name}/`, {}, 404, 'text/plain; charset=utf-8', '404 page not found\n'],
  ])('GET %s with %j', async (path, headers: Record<string, string>, status, type, text) => {
    const response = await ask(path, { headers: { accept: '*/*', ...headers } })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      status,
      type,
      text,
    ])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    if (text.includes('[]')) expect(response.headers.get('cache-control')).toBe(noResultsCache)
  })

  it('POST is not allowed', async () => {
    expect((await ask(`ipns/${name}`, { method: 'POST' })).status).toBe(405)
  })

  it('a path that is not clean is redirected', async () => {
    const response = await ask(`/ipns/${name}`)
    expect([response.status, response.headers.get('location')]).toEqual([307, `/routing/v1/ipns/${name}`])
  })
})

const put = (label: string, body: Buffer, headers: Record<string, string> = {}): Promise<Response> =>
  ask(`ipns/${label}`, {
    method: 'PUT',
    headers: { 'content-type': recordType, ...headers },
    body: new Uint8Array(body),
  })

it.each([
  [
    name,
    Buffer.from('x'),
    'provided record is invalid: record is malformed\nproto: cannot parse invalid wire-format data',
  ],
  [
    name,
    Buffer.alloc(0),
    'provided record is invalid: record is malformed\nrecord is missing the dag-cbor data field',
  ],
  [otherName, record, 'provided record is invalid: signature verification failed'],
])('refuses for %s the record %j', async (label, body, text) => {
  const response = await put(label, body)
  expect([response.status, await response.text()]).toEqual([400, text])
})

it('refuses a record without its content type', async () => {
  const response = await put(name, record, { 'content-type': 'application/json' })
  expect([response.status, await response.text()]).toEqual([
    406,
    "content type in 'Content-Type' header is missing or not supported",
  ])
})

it.each(['https://example.org', 'null'])('refuses a record from a page of the origin %s', async (origin) => {
  expect((await put(name, record, { origin })).status).toBe(403)
})

it('answers everyone, but stores records only with a key where operations need one', async () => {
  expect((await ask(`providers/${raw}`, {}, guarded.ipfsUrl)).status).toBe(200)
  const init = { method: 'PUT', headers: { 'content-type': recordType }, body: new Uint8Array(record) }
  expect((await ask(`ipns/${name}`, init, guarded.ipfsUrl)).status).toBe(401)
  const authorization = `Basic ${Buffer.from('k1:s1').toString('base64')}`
  const withKey = { ...init, headers: { ...init.headers, authorization } }
  expect((await ask(`ipns/${name}`, withKey, guarded.ipfsUrl)).status).toBe(200)
})

it("stores a record, which then resolves and is sent with Kubo's headers", async () => {
  expect((await put(name, record)).status).toBe(200)
  expect(
    await (await fetch(`${node.ipfsUrl}/api/v0/name/resolve?arg=${name}`, { method: 'POST' })).json(),
  ).toEqual({
    Path: '/ipfs/bafkqablimvwgy3y',
  })
  const response = await ask(`ipns/${name}`)
  expect(Buffer.from(await response.arrayBuffer())).toEqual(record)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-disposition': `attachment; filename="${name}.ipns-record"`,
    'content-type': recordType,
    etag: '"d569900e260bf2ec"',
    expires: 'Mon, 04 Nov 2126 15:11:26 GMT',
    vary: 'Accept',
  })
  expect(response.headers.get('cache-control')).toMatch(
    /^public, max-age=300, stale-while-revalidate=(\d{10}), stale-if-error=\1$/,
  )
})
