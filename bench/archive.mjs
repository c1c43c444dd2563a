import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { summarise } from './lib/statistics.mjs'

const usage = `node bench/archive.mjs [options]

Measures the time from start to ready line, alternating between a node without data and one that starts from an archive
made by standin pack.

  --megabytes n   size of the files in the archive, which also holds a chain of 200 blocks
  --rounds n      repetitions
  --at-once n     nodes to start from the archive at the same time, once`

const { values: flags } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '10' },
    'at-once': { type: 'string', default: '100' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}
const [megabytes, rounds, atOnce] = ['megabytes', 'rounds', 'at-once'].map((name) => Number(flags[name]))

const command = join(dirname(fileURLToPath(import.meta.url)), '../bin/standin.js')
const directory = await mkdtemp(join(tmpdir(), 'standin-bench-archive-'))
const archive = join(directory, 'archive')
const fromArchive = ['--from', archive, '--archive-cache', join(directory, 'cache')]

/** Starts the command. @returns its ready line, the milliseconds until it was printed, and a function that stops it */
async function start(words = []) {
  const began = performance.now()
  const all = [command, '--json', '--port', '0', '--ipfs-port', '0', ...words]
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = new Promise((settle) => child.once('close', settle))
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    if (output.includes('\n')) break
  }
  const milliseconds = performance.now() - began
  const stop = async () => {
    child.kill('SIGTERM')
    await closed
  }
  return { ready: JSON.parse(output), milliseconds, stop }
}

async function run(words) {
  const child = spawn(process.execPath, [command, ...words], { stdio: 'inherit' })
  const status = await new Promise((settle) => child.once('close', settle))
  if (status !== 0) throw new Error(`standin ${words[0]} exited with status ${status}`)
}

async function call(url, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  return (await (await fetch(url, { method: 'POST', headers, body })).json()).result
}

async function makeArchive() {
  const data = join(directory, 'data')
  const { ready, stop } = await start(['--data-dir', data])
  await call(ready.url, 'hardhat_mine', ['0xc8'])
  for (let written = 0; written < megabytes; written += 10) {
    const form = new FormData()
    form.append('file', new Blob([randomBytes(10_000_000)]))
    await fetch(`${ready.ipfsUrl}/api/v0/add`, { method: 'POST', body: form }).then((reply) => reply.text())
  }
  await stop()
  await run(['pack', data, archive])
  console.log(`archive: ${((await stat(archive)).size / 1e6).toFixed(0)} MB`)
}

function show(name, values) {
  const { median, low, high } = summarise(values)
  console.log(`${name}: ${median.toFixed(0)} ms (${low.toFixed(0)} to ${high.toFixed(0)})`)
}

try {
  await makeArchive()
  const first = await start(fromArchive)
  console.log(`first start, including unpacking: ${first.milliseconds.toFixed(0)} ms`)
  await first.stop()
  const times = { 'without data': [], 'from the archive': [] }
  for (let round = 0; round < rounds; round++) {
    for (const [name, words] of [
      ['without data', []],
      ['from the archive', fromArchive],
    ]) {
      const node = await start(words)
      times[name].push(node.milliseconds)
      await node.stop()
    }
  }
  for (const [name, values] of Object.entries(times)) show(name, values)
  const began = performance.now()
  const nodes = await Promise.all(Array.from({ length: atOnce }, () => start(fromArchive)))
  const heights = await Promise.all(nodes.map(({ ready }) => call(ready.url, 'eth_blockNumber', [])))
  if (heights.some((height) => height !== '0xc8')) throw new Error('a node has a different chain')
  const took = performance.now() - began
  console.log(
    `${atOnce} at once: ${took.toFixed(0)} ms until all answered, ${(took / atOnce).toFixed(0)} ms each`,
  )
  await Promise.all(nodes.map(({ stop }) => stop()))
} finally {
  await rm(directory, { recursive: true, force: true })
}
