import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { Agent, createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { MeasuredProcess, freePort } from './lib/processes.mjs'
import { RpcClient } from './lib/rpcClient.mjs'
import { latency, randomFrom, rate, settle, summarise } from './lib/statistics.mjs'

const usage = `node bench/cassette.mjs [options]

Measures the cost of cassettes: recording compared with a bare proxy, for a provider that answers immediately and a
slower one; replaying compared with the same calls on a chain; and opening a long cassette.

  --calls n    calls per measurement
  --rounds n   repetitions, alternating between the variants
  --delay n    response time of the slower provider in milliseconds
  --entries n  entries of the long cassette
  --reads n    different calls to replay from it`

const { values: flags } = parseArgs({
  options: {
    calls: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '7' },
    delay: { type: 'string', default: '20' },
    entries: { type: 'string', default: '1000000' },
    reads: { type: 'string', default: '30000' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}
const [calls, rounds, delay, entries, reads] = ['calls', 'rounds', 'delay', 'entries', 'reads'].map((name) =>
  Number(flags[name]),
)

const command = join(dirname(fileURLToPath(import.meta.url)), '../bin/standin.js')
const directory = await mkdtemp(join(tmpdir(), 'standin-bench-cassette-'))

/** Starts the command and waits for its first answer. @returns its process, a client and the milliseconds it took */
async function start(words = []) {
  const port = await freePort()
  const began = performance.now()
  const parameters = [command, '--port', String(port), '--ipfs-port', '0', '--quiet', ...words]
  const node = new MeasuredProcess(process.execPath, parameters)
  const client = new RpcClient(`http://127.0.0.1:${port}/v3/bench`)
  for (;;) {
    const answered = await client.call('eth_chainId').then(
      () => true,
      (error) => /^-?\d/.test(error.message),
    )
    if (answered) break
    if (node.ended) throw new Error(node.output)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { node, client, milliseconds: performance.now() - began }
}

/** Starts a provider that sends the same answer to every call after the given delay. */
async function startProvider(milliseconds) {
  const server = createServer((incoming, outgoing) => {
    let body = ''
    incoming.on('data', (chunk) => (body += chunk))
    incoming.on('end', () => {
      const answer = () => {
        outgoing.setHeader('content-type', 'application/json')
        outgoing.end(`{"jsonrpc":"2.0","id":${JSON.parse(body).id},"result":"0xde0b6b3a7640000"}`)
      }
      if (milliseconds === 0) answer()
      else setTimeout(answer, milliseconds)
    })
  })
  return listen(server)
}

/** Starts a proxy that only forwards requests, over keep-alive connections. */
async function startProxy(target) {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const passed = request(new URL(url, target), { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(passed)
  })
  return listen(server)
}

async function listen(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, stop }
}

const address = (number) => `0x${number.toString(16).padStart(40, '0')}`
const balanceOf = (number) => ['eth_getBalance', address(number), 'latest']

function show(name, values, unit) {
  const { median, low, high } = summarise(values)
  console.log(`${name}: ${median.toFixed(3)} ${unit} (${low.toFixed(3)} to ${high.toFixed(3)})`)
}

async function measureRecording(milliseconds) {
  const provider = await startProvider(milliseconds)
  const proxy = await startProxy(provider.url)
  const through = new RpcClient(proxy.url)
  const recorder = await start([
    '--record',
    join(directory, `recorded-${milliseconds}.ndjson`),
    '--upstream',
    provider.url,
  ])
  const count = milliseconds === 0 ? calls : Math.ceil(calls / milliseconds)
  const times = { 'bare proxy': [], recording: [] }
  const lanes = Object.entries({ 'bare proxy': through, recording: recorder.client }).map(
    ([name, client]) => {
      let next = 0
      return { name, work: () => client.call(...balanceOf(next++)) }
    },
  )
  for (const { work } of lanes) await settle(work)
  for (let round = 0; round < rounds; round++) {
    for (const { name, work } of lanes) times[name].push(await latency(work, { count }))
  }
  console.log(`provider with ${milliseconds} ms response time, one call in flight:`)
  for (const [name, values] of Object.entries(times)) show(`  ${name}`, values, 'ms')
  await recorder.client.call('eth_blockNumber')
  through.close()
  recorder.client.close()
  await recorder.node.end()
  proxy.stop()
  provider.stop()
}

async function measureReplay() {
  const path = join(directory, 'recorded-0.ndjson')
  const player = await start(['--replay', path])
  const chain = await start()
  const recorded = Math.min(calls, 1000)
  for (const inFlight of [1, 32]) {
    const rates = {
      eth_blockNumber: [],
      'eth_blockNumber, replayed': [],
      eth_getBalance: [],
      'eth_getBalance, replayed: repeated calls': [],
      'eth_getBalance, replayed: first occurrences': [],
    }
    let fresh = 0
    for (let round = 0; round < rounds; round++) {
      const options = { count: calls, inFlight }
      const repeated = (client) => (number) => client.call(...balanceOf(number % recorded))
      const works = [
        () => chain.client.call('eth_blockNumber'),
        () => player.client.call('eth_blockNumber'),
        repeated(chain.client),
        repeated(player.client),
        () => player.client.call(...balanceOf(fresh++ % (calls * rounds))),
      ]
      for (const [index, name] of Object.keys(rates).entries()) {
        rates[name].push(await rate(works[index], options))
      }
    }
    console.log(`${inFlight} in flight:`)
    for (const [name, values] of Object.entries(rates)) show(`  ${name}`, values, 'requests/s')
  }
  for (const { node, client } of [player, chain]) {
    client.close()
    await node.end()
  }
}

async function writeLongCassette(path) {
  const file = createWriteStream(path)
  file.write('{"cassette":1,"rules":{},"tags":{}}\n')
  for (let number = 0; number < entries; number++) {
    const [method, ...params] = balanceOf(number)
    const call = JSON.stringify(['rpc', 'local', method, params])
    const fits = file.write(`{"call":${call},"nth":1,"result":"0x${number.toString(16)}"}\n`)
    if (!fits) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}

async function measureLongCassette() {
  const path = join(directory, 'long.ndjson')
  await writeLongCassette(path)
  const closing = await start(['--replay', path])
  console.log(
    `${entries} entries, ${((await stat(path)).size / 1e6).toFixed(0)} MB: ` +
      `${closing.milliseconds.toFixed(0)} ms until the first answer if the cassette was not closed`,
  )
  closing.client.close()
  await closing.node.end()
  const times = { 'without a cassette': [], 'with the cassette': [] }
  for (let round = 0; round < rounds; round++) {
    for (const [name, words] of [
      ['without a cassette', []],
      ['with the cassette', ['--replay', path]],
    ]) {
      const { node, client, milliseconds } = await start(words)
      times[name].push(milliseconds)
      client.close()
      await node.end()
    }
  }
  console.log('from start to first answer:')
  for (const [name, values] of Object.entries(times)) show(`  ${name}`, values, 'ms')
  const { node, client } = await start(['--replay', path])
  const before = node.memory()
  const random = randomFrom(1)
  let wrong = 0
  const read = async () => {
    const number = random(entries)
    if ((await client.call(...balanceOf(number))) !== `0x${number.toString(16)}`) wrong++
  }
  const perSecond = await rate(read, { count: reads, inFlight: 32 })
  if (wrong > 0) throw new Error(`${wrong} answers are wrong`)
  console.log(
    `${reads} different calls: ${perSecond.toFixed(0)} requests/s, ` +
      `resident memory ${before.toFixed(0)} MiB before and ${node.memory().toFixed(0)} MiB after`,
  )
  client.close()
  await node.end()
}

try {
  await measureRecording(0)
  await measureRecording(delay)
  await measureReplay()
  await measureLongCassette()
} finally {
  await rm(directory, { recursive: true, force: true })
}
