import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { type RunningNode, startNode } from '../../src/node.js'
import { parseNodeOptions } from '../../src/options.js'
import { sendRaw } from '../support/server.js'

let node: RunningNode
afterEach(() => node.stop())

const program = `const [url, wsUrl, ipfsUrl] = process.argv.slice(1)
const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
console.log((await answer.json()).result)
console.log((await fetch(ipfsUrl + '/api/v0/version', { method: 'POST' })).status)
const { WebSocket } = await import('ws')
const socket = new WebSocket(wsUrl)
socket.on('open', () => socket.send(body))
socket.on('message', (data) => { console.log(JSON.parse(data).result); socket.close() })`

test('clients that trust the printed certificate can use HTTPS and WSS on both ports', async () => {
  node = await startNode(
    parseNodeOptions({ port: 0, ipfsPort: 0, tls: true, network: ['sepolia'], domain: 'node.test' }),
  )
  const { url, wsUrl, ipfsUrl } = node.urls
  expect([url, wsUrl, ipfsUrl].map((text) => new URL(text).protocol)).toEqual(['https:', 'wss:', 'https:'])
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program, url, wsUrl, ipfsUrl],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: node.certificatePath } },
  )
  expect(stdout).toBe('0x7a69\n200\n0x7a69\n')
})

test('the certificate covers loopback, the networks and the domain', async () => {
  node = await startNode(
    parseNodeOptions({ port: 0, ipfsPort: 0, tls: true, network: ['sepolia'], domain: 'node.test' }),
  )
  const ca = await readFile(node.certificatePath ?? '', 'utf8')
  const { X509Certificate } = await import('node:crypto')
  const names = new X509Certificate(ca).subjectAltName ?? ''
  for (const name of ['localhost', 'sepolia.localhost', 'sepolia.node.test', 'node.test', '127.0.0.1']) {
    expect(names).toContain(name)
  }
  const answer = await sendRaw(
    node.port,
    'GET /_standin/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    ca,
  )
  expect(answer.status).toBe(200)
})

test('an offer to upgrade to HTTP/2 is ignored', async () => {
  node = await startNode(parseNodeOptions({ port: 0, ipfsPort: 0, tls: true }))
  const ca = await readFile(node.certificatePath ?? '', 'utf8')
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'.padEnd(70_000)
  const offer = 'connection: Upgrade, HTTP2-Settings\r\nhttp2-settings: AAEAAEAA\r\nupgrade: h2c\r\n'
  const head = `POST / HTTP/1.1\r\nhost: localhost\r\n${offer}content-type: application/json\r\n`
  const socket = connectTls({ port: node.port, host: '127.0.0.1', servername: 'localhost', ca })
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
  let answer = ''
  for await (const part of socket) {
    answer += String(part)
    if (answer.includes('0x7a69')) break
  }
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})

test('a client that never starts its TLS handshake does not keep the node from stopping', async () => {
  node = await startNode(parseNodeOptions({ port: 0, ipfsPort: 0, tls: true }))
  const socket = createConnection({ port: node.port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  await node.stop()
  await closed
})
