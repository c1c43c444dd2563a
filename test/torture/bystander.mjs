// A client that continuously sends small requests and reports the longest response time.
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'

const { url, wsUrl, ipfsUrl, cid } = JSON.parse(process.argv[2])
let longest = {}
let answers = 0
let faults = []

async function repeat(name, ask) {
  for (;;) {
    const start = performance.now()
    try {
      await ask()
      answers++
    } catch (error) {
      faults.push(`${name}: ${error.message}`)
    }
    longest[name] = Math.max(longest[name] ?? 0, performance.now() - start)
    await sleep(5)
  }
}

async function expectOk(response) {
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`status ${response.status}`)
}

const headers = { 'content-type': 'application/json' }
const chainId = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
const newHeads = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'eth_subscribe', params: ['newHeads'] })

const socket = new WebSocket(wsUrl)
await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
let answered = () => undefined
socket.on('message', () => answered())
socket.on('close', () => faults.push('the WebSocket was closed'))
socket.send(newHeads)

void repeat('eth_chainId', async () => expectOk(await fetch(url, { method: 'POST', headers, body: chainId })))
void repeat('cat', async () =>
  expectOk(await fetch(new URL(`/api/v0/cat?arg=${cid}`, ipfsUrl), { method: 'POST' })),
)
void repeat('WebSocket', () => {
  socket.send(chainId)
  return new Promise((resolve) => (answered = resolve))
})

process.on('message', () => {
  process.send({ longest, answers, faults })
  longest = {}
  answers = 0
  faults = []
})
process.on('disconnect', () => process.exit())
process.send('ready')
