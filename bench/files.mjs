import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { FileClient } from './lib/fileClient.mjs'
import { directory, importAlone, mebibyteFile, post, readAtOnce, textOf } from './lib/fileWork.mjs'
import { useMemory } from './lib/hostMemory.mjs'
import { freePort, MeasuredProcess } from './lib/processes.mjs'
import { summarise, timed } from './lib/statistics.mjs'

const usage = `node bench/files.mjs [options]

  --entry path       command to measure; defaults to bin/standin.js of this checkout
  --rounds n         repetitions of every measurement, alternating between servers
  --mebibytes n      size of the large file
  --small-files n    number of small files in one directory
  --readers n        concurrent readers of a file of 1 MiB`

const here = dirname(fileURLToPath(import.meta.url))
const { values: flags } = parseArgs({
  options: {
    entry: { type: 'string', default: join(here, '../bin/standin.js') },
    rounds: { type: 'string', default: '5' },
    mebibytes: { type: 'string', default: '512' },
    'small-files': { type: 'string', default: '10000' },
    readers: { type: 'string', default: '1000' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}
const rounds = Number(flags.rounds)
const mebibytes = Number(flags.mebibytes)
const smallFiles = Number(flags['small-files'])
const readers = Number(flags.readers)

const servers = new Map([
  ['standin', (port) => [resolve(flags.entry), '--port', port, '--ipfs-port', '0', '--quiet']],
  ['bare', (port) => [join(here, 'lib/bareFiles.mjs'), port]],
])

/** A server in its own process, with its peak memory in MiB. */
class Server {
  peakMemory = 0
  #process
  #watch

  constructor(port, parameters) {
    this.url = `http://127.0.0.1:${port}`
    this.#process = new MeasuredProcess(process.execPath, parameters)
    this.#watch = setInterval(
      () => (this.peakMemory = Math.max(this.peakMemory, this.#process.memory() ?? 0)),
      20,
    )
  }

  async ready() {
    for (;;) {
      if (this.#process.ended) throw new Error(this.#process.output)
      const answer = await fetch(`${this.url}/_standin/health`).catch(() => undefined)
      if (answer?.ok) return
      await new Promise((wait) => setTimeout(wait, 20))
    }
  }

  get processorTime() {
    return this.#process.processorTime()
  }

  async end() {
    clearInterval(this.#watch)
    await this.#process.end()
  }
}

async function start(name) {
  const port = String(await freePort())
  const server = new Server(port, servers.get(name)(port))
  await server.ready()
  return server
}

const results = new Map()
function record(title, value) {
  results.set(title, [...(results.get(title) ?? []), value])
  console.log(`  ${title}: ${value.toFixed(1)}`)
}

for (let round = 0; round < rounds; round++) {
  console.log(`round ${round + 1}`)
  const standin = await start('standin')
  const bare = await start('bare')
  const client = new FileClient()
  // Warm-up: the first upload also loads and compiles code.
  for (const { url } of [standin, bare]) await client.upload(url, mebibytes)
  let large
  const order = round % 2 === 0 ? ['bare', 'standin'] : ['standin', 'bare']
  for (const name of order) {
    const server = name === 'bare' ? bare : standin
    useMemory(2 * mebibytes)
    const before = server.processorTime
    const { milliseconds, cid } = await client.upload(server.url, mebibytes)
    large ??= cid
    record(`${name}: upload, MiB/s`, (mebibytes * 1000) / milliseconds)
    record(`${name}: upload, processor seconds`, server.processorTime - before)
  }
  record('standin: cat, MiB/s', (mebibytes * 1000) / (await client.cat(standin.url, large, mebibytes)))
  client.end()
  record('standin: peak memory, MiB', standin.peakMemory)
  record('importer alone: small files, ms', await timed(() => importAlone(round, smallFiles)))
  record(
    'standin: small files, ms',
    await timed(() => post(`${standin.url}/api/v0/add?pin=false`, directory(round, smallFiles))),
  )
  const shared = textOf((await post(`${standin.url}/api/v0/add`, mebibyteFile())).last.toString())
  record(
    `standin: ${readers} readers at once, ms`,
    await timed(() => readAtOnce(standin.url, shared, readers)),
  )
  record('standin: peak memory of the round, MiB', standin.peakMemory)
  await standin.end()
  await bare.end()
}

const median = (title) => summarise(results.get(title)).median
const ratios = [
  ['upload / bare parse-and-hash', 'standin: upload, MiB/s', 'bare: upload, MiB/s', '≥ 0.8'],
  ['cat / bare parse-and-hash', 'standin: cat, MiB/s', 'bare: upload, MiB/s', '≥ 1.5'],
  ['small files / importer alone', 'standin: small files, ms', 'importer alone: small files, ms', '≤ 1.5'],
]
console.log('\n| | median | minimum | maximum |\n|---|---|---|---|')
for (const [title, values] of results) {
  const { median: middle, low, high } = summarise(values)
  console.log(`| ${title} | ${middle.toFixed(1)} | ${low.toFixed(1)} | ${high.toFixed(1)} |`)
}
console.log('\n| | ratio | goal |\n|---|---|---|')
for (const [title, own, other, goal] of ratios) {
  console.log(`| ${title} | ${(median(own) / median(other)).toFixed(2)} | ${goal} |`)
}
