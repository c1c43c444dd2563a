import { createCipheriv, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { importer } from 'ipfs-unixfs-importer'
import { freePort, MeasuredProcess } from './lib/processes.mjs'
import { summarise, timed } from './lib/statistics.mjs'

const usage = `node bench/files.mjs [options]

  --entry path       the command to measure; bin/standin.js of this checkout unless given
  --rounds n         repetitions of every measurement, in turns
  --mebibytes n      size of the large file
  --small-files n    number of small files in one directory
  --readers n        concurrent readers of a file of 1 MiB`

const MEBIBYTE = 1024 * 1024
const BOUNDARY = 'standin-bench'
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

/** A server in a process of its own, and the most memory that it has had. */
class Server {
  most = 0
  #process
  #watch

  constructor(port, parameters) {
    this.url = `http://127.0.0.1:${port}`
    this.#process = new MeasuredProcess(process.execPath, parameters)
    this.#watch = setInterval(() => (this.most = Math.max(this.most, this.#process.memory() ?? 0)), 20)
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

function partHead(name) {
  return (
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n` +
    'content-type: application/octet-stream\r\n\r\n'
  )
}

/** Posts a body, and gives what came back. */
async function post(url, pieces) {
  const headers = pieces && { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const sending = request(url, { method: 'POST', headers })
  const answered = new Promise((resolve, reject) => {
    sending.once('response', resolve).once('error', reject)
  })
  for (const piece of pieces ?? []) {
    if (!sending.write(piece)) await new Promise((drained) => sending.once('drain', drained))
  }
  sending.end()
  const response = await answered
  const received = { status: response.statusCode, length: 0, last: undefined }
  for await (const bytes of response) {
    received.length += bytes.length
    received.last = bytes
  }
  if (received.status !== 200) throw new Error(`${url}: ${received.status} ${received.last}`)
  return received
}

/** A large file of a seed: no block of it twice. */
function* largeFile() {
  const stream = createCipheriv('chacha20', randomBytes(32), Buffer.alloc(16))
  const zeros = Buffer.alloc(MEBIBYTE)
  yield partHead('a')
  for (let sent = 0; sent < mebibytes; sent++) yield stream.update(zeros)
  yield `\r\n--${BOUNDARY}--\r\n`
}

/** What small files have in them: none like another. */
function smallFile(round, index) {
  return Buffer.from(`round ${round} file ${index} `.repeat(16))
}

function* directory(round) {
  let pieces = []
  for (let index = 0; index < smallFiles; index++) {
    pieces.push(Buffer.from(partHead(`d%2F${index}`)), smallFile(round, index), Buffer.from('\r\n'))
    if (pieces.length < 300) continue
    yield Buffer.concat(pieces)
    pieces = []
  }
  yield Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

/** The importer on a store in memory, with the settings of the node's default profile. */
async function importAlone(round) {
  const blocks = new Map()
  const store = {
    put: (cid, bytes) => {
      blocks.set(cid.toString(), bytes)
      return cid
    },
    get: (cid) => blocks.get(cid.toString()),
    has: (cid) => blocks.has(cid.toString()),
  }
  const files = Array.from({ length: smallFiles }, (_, index) => ({
    path: `d/${index}`,
    content: smallFile(round, index),
  }))
  let root
  for await (const { cid } of importer(files, store, { cidVersion: 0, rawLeaves: false })) root = cid
  return root
}

const results = new Map()
function record(title, value) {
  results.set(title, [...(results.get(title) ?? []), value])
  console.log(`  ${title}: ${value.toFixed(1)}`)
}

function textOf(received) {
  return JSON.parse(received.last.toString().trim().split('\n').at(-1)).Hash
}

for (let round = 0; round < rounds; round++) {
  console.log(`round ${round + 1}`)
  const standin = await start('standin')
  const bare = await start('bare')
  let large
  const order = round % 2 === 0 ? ['bare', 'standin'] : ['standin', 'bare']
  for (const name of order) {
    const server = name === 'bare' ? bare : standin
    const before = server.processorTime
    const milliseconds = await timed(async () => {
      const received = await post(`${server.url}/api/v0/add`, largeFile())
      if (name === 'standin') large = textOf(received)
    })
    record(`${name}: upload, MiB/s`, (mebibytes * 1000) / milliseconds)
    record(`${name}: upload, processor seconds`, server.processorTime - before)
  }
  const catMilliseconds = await timed(() => post(`${standin.url}/api/v0/cat?arg=${large}`))
  record('standin: cat, MiB/s', (mebibytes * 1000) / catMilliseconds)
  record('standin: most memory, MiB', standin.most)
  record('importer alone: small files, ms', await timed(() => importAlone(round)))
  record(
    'standin: small files, ms',
    await timed(() => post(`${standin.url}/api/v0/add?pin=false`, directory(round))),
  )
  const mebibyte = [partHead('m'), randomBytes(MEBIBYTE), `\r\n--${BOUNDARY}--\r\n`]
  const shared = textOf(await post(`${standin.url}/api/v0/add`, mebibyte))
  record(
    `standin: ${readers} readers at once, ms`,
    await timed(async () => {
      const read = Array.from({ length: readers }, () => post(`${standin.url}/api/v0/cat?arg=${shared}`))
      const lengths = (await Promise.all(read)).map(({ length }) => length)
      if (lengths.some((length) => length !== MEBIBYTE)) throw new Error('a reader got something else')
    }),
  )
  record('standin: most memory after all, MiB', standin.most)
  await standin.end()
  await bare.end()
}

const median = (title) => summarise(results.get(title)).median
const ratios = [
  ['upload / bare parse-and-hash', 'standin: upload, MiB/s', 'bare: upload, MiB/s', '≥ 0.8'],
  ['cat / bare parse-and-hash', 'standin: cat, MiB/s', 'bare: upload, MiB/s', '≥ 1.5'],
  ['small files / importer alone', 'standin: small files, ms', 'importer alone: small files, ms', '≤ 1.5'],
]
console.log('\n| | median | least | greatest |\n|---|---|---|---|')
for (const [title, values] of results) {
  const { median: middle, low, high } = summarise(values)
  console.log(`| ${title} | ${middle.toFixed(1)} | ${low.toFixed(1)} | ${high.toFixed(1)} |`)
}
console.log('\n| | ratio | goal |\n|---|---|---|')
for (const [title, own, other, goal] of ratios) {
  console.log(`| ${title} | ${(median(own) / median(other)).toFixed(2)} | ${goal} |`)
}
