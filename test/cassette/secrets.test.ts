import { SignJWT, exportSPKI, generateKeyPair } from 'jose'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createNode } from '../../src/index.js'

const secrets = {
  ownKey: 'own-key-abcdefghijklmnop',
  ownSecret: 'own-secret-qrstuvwxyz',
  tokenKey: 'token-key-abcdefghijklmn',
  providerKey: 'provider-key-0123456789',
  providerSecret: 'provider-secret-9876543210',
}

/** Concatenates every file of a directory. */
function everything(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), 'latin1')}`)
    .join('\n')
}

test('no key, secret, bearer token, JWT or password reaches the file or its bodies', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cassette-'))
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwt = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', kid: 'first', typ: 'JWT' })
    .setAudience('localhost')
    .setExpirationTime('1h')
    .sign(privateKey)
  const provider = await createNode({
    mode: 'guarded',
    key: [`${secrets.providerKey}:${secrets.providerSecret}`],
  })
  const withKey = (url: string) => url.replace(/[^/]+$/, secrets.providerKey)
  const ipfs = new URL(provider.ipfsUrl)
  ipfs.username = secrets.providerKey
  ipfs.password = secrets.providerSecret
  const node = await createNode({
    record: join(folder, 'run.ndjson'),
    upstream: withKey(provider.url),
    upstreamWs: withKey(provider.wsUrl),
    upstreamIpfs: ipfs.href,
    keys: {
      keys: [
        { key: secrets.ownKey, secret: secrets.ownSecret },
        {
          key: secrets.tokenKey,
          token: { keys: [{ id: 'first', publicKey: await exportSPKI(publicKey) }] },
        },
      ],
    },
  })
  const basic = Buffer.from(`${secrets.ownKey}:${secrets.ownSecret}`).toString('base64')
  const secretAlone = Buffer.from(`:${secrets.ownSecret}`).toString('base64')
  const post = async (url: string, body: string | FormData, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { method: 'POST', body, headers })
    return { status: response.status, text: await response.text() }
  }
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
  const urlOf = (key: string) => node.url.replace(/[^/]+$/, key)
  try {
    const json = { 'content-type': 'application/json' }
    expect(
      (await post(urlOf(secrets.ownKey), call, { ...json, authorization: `Basic ${secretAlone}` })).status,
    ).toBe(200)
    const tokenAnswer = await post(urlOf(secrets.tokenKey), call, { ...json, authorization: `Bearer ${jwt}` })
    expect(tokenAnswer).toMatchObject({ status: 200, text: expect.stringContaining('0x7a69') as string })
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(200_000)]), 'large.bin')
    const added = await post(`${node.ipfsUrl}/api/v0/add`, form, { authorization: `Basic ${basic}` })
    expect(added.status).toBe(200)
    const { Hash } = JSON.parse(added.text) as { Hash: string }
    const read = await post(`${node.ipfsUrl}/api/v0/cat?arg=${Hash}`, '', { authorization: `Basic ${basic}` })
    expect(read.status).toBe(200)
    provider.keys.remove(secrets.providerKey)
    const refused = await post(urlOf(secrets.ownKey), call, {
      ...json,
      authorization: `Basic ${secretAlone}`,
    })
    expect(refused.status).toBe(401)
  } finally {
    await node.stop()
    await provider.stop()
  }
  const text = everything(folder)
  expect(text).toContain('eth_chainId')
  expect(text).toContain('/api/v0/cat')
  const providerBasic = Buffer.from(`${secrets.providerKey}:${secrets.providerSecret}`).toString('base64')
  for (const secret of [
    ...Object.values(secrets),
    basic,
    secretAlone,
    providerBasic,
    jwt,
    jwt.split('.')[2]!,
  ]) {
    expect(text).not.toContain(secret)
  }
  rmSync(folder, { recursive: true })
})

/** Starts a provider that echoes path, query and headers in results, errors, headers and redirects. */
async function startEcho() {
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const echoed = { url: request.url, headers: request.headers }
      if (request.url?.startsWith('/api/v0/')) {
        const status = request.url.includes('moved') ? 307 : 200
        const headers = { location: `http://elsewhere.example${filesPath}`, 'x-echo': JSON.stringify(echoed) }
        response.writeHead(status, headers).end(JSON.stringify(echoed))
        return
      }
      const { id, method } = JSON.parse(body) as { id: number; method: string }
      if (method === 'eth_mining')
        response.writeHead(429, { 'retry-after': request.url }).end(JSON.stringify(echoed))
      else if (method === 'eth_coinbase' && !request.url?.startsWith('/moved'))
        response.writeHead(307, { location: `/moved${request.url}` }).end()
      else if (method === 'eth_call') {
        const error = { code: 3, message: `refused: ${JSON.stringify(echoed)}`, data: echoed }
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
      } else response.end(JSON.stringify({ jsonrpc: '2.0', id, result: echoed }))
    })
  })
  new WebSocketServer({ server }).on('connection', (socket, { url, headers }) => {
    socket.on('message', (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString()) as { id: number; method: string }
      if (method === 'net_version') socket.close(1008, `no ${url}`)
      else socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { url, headers } }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const filesPath = '/login/files-key-in-a-redirect-1?token=query-token-of-files'
const forms = {
  path: 'key-in-path-0123456789',
  query: 'key-in-query-9876543210',
  socketPath: 'key-of-socket-0123456789',
  password: 'p@ss/word: of provider',
  user: 'user-of-provider',
  filesPassword: 'päss-of-files',
}

test('keys that a provider echoes in any form do not reach the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cassette-'))
  const { server, host } = await startEcho()
  const credentials = `${forms.user}:${encodeURIComponent(forms.password)}`
  const node = await createNode({
    record: join(folder, 'run.ndjson'),
    upstream: `http://${credentials}@${host}/v3/${forms.path}?apikey=${forms.query}`,
    upstreamWs: `ws://${credentials}@${host}/ws/v3/${forms.socketPath}`,
    upstreamIpfs: `http://files-user:${encodeURIComponent(forms.filesPassword)}@${host}${filesPath}`,
  })
  const bodyOf = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const headers = { 'content-type': 'application/json' }
  const seen: string[] = []
  try {
    for (const method of ['eth_chainId', 'eth_call', 'eth_mining', 'eth_coinbase']) {
      seen.push(await (await fetch(node.url, { method: 'POST', body: bodyOf(method), headers })).text())
    }
    for (const argument of ['stays', 'moved']) {
      await fetch(`${node.ipfsUrl}/api/v0/cat?arg=${argument}`, { method: 'POST', redirect: 'manual' })
    }
    const socket = new WebSocket(node.wsUrl)
    const ended = new Promise<string>((done) => (socket.onclose = ({ reason }) => done(reason)))
    socket.onmessage = ({ data }) => {
      seen.push(String(data))
      socket.send(bodyOf('net_version'))
    }
    socket.onopen = () => socket.send(bodyOf('eth_blockNumber'))
    seen.push(await ended)
  } finally {
    await node.stop()
    server.closeAllConnections()
    server.close()
  }
  const file = everything(folder)
  for (const method of ['eth_chainId', 'eth_call', 'eth_mining', 'eth_coinbase', 'cat', 'net_version']) {
    expect(file).toContain(method)
  }
  expect(seen).toHaveLength(6)
  expect(seen.at(-1)).toBe('no /ws/v3/…')
  const basic = (pair: string) => Buffer.from(pair).toString('base64')
  const hidden = Object.values(forms).flatMap((form) => [form, encodeURIComponent(form)])
  const recorded = [file, ...seen].join('\n')
  for (const secret of [
    ...hidden,
    basic(`${forms.user}:${forms.password}`),
    basic(`files-user:${forms.filesPassword}`),
    'files-key-in-a-redirect-1',
    'query-token-of-files',
  ]) {
    expect(recorded).not.toContain(secret)
  }
  rmSync(folder, { recursive: true })
})
