import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installedNodes, startNode } from './lib/nodes.mjs'
import { plotSeries } from './lib/report.mjs'
import { settledLatency } from './lib/settled.mjs'
import { randomFrom, summarise } from './lib/statistics.mjs'
import { Stage } from './lib/workload.mjs'

/*
 * Mixed load on one node for a long time: whether its memory and the time of each kind of request stay where they were,
 * what a random block costs at the end beside what it cost on a short chain, and how long a restart takes after kill -9.
 */

const usage = `node bench/soak.mjs [options]

  --minutes n          how long; 60 unless given
  --blocks n           goes on until there are so many blocks, however long that takes; 200,000 unless given
  --full               one request after another without a pause; unless given, the blocks are spread over the time
  --checkout path      another build of this node: the path of its bin/standin.js
  --out folder         where soak.json and the plots go`

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    blocks: { type: 'string', default: '200000' },
    full: { type: 'boolean', default: false },
    checkout: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}

const PARTS = 10
/** Ten of each kind of transfer and one that makes as many accounts as a turn has blocks. */
const BLOCKS_A_TURN = 21
/** The chain on which random blocks are measured first. */
const SHORT_CHAIN = 10_000
const SAMPLES = 300
const RESTARTS = 5
const here = dirname(fileURLToPath(import.meta.url))
const nodes = installedNodes(flags.checkout === undefined ? [] : [`checkout=${flags.checkout}`])
const node = nodes.get(flags.checkout === undefined ? 'standin' : 'checkout')
const dataFolder = mkdtempSync(join(tmpdir(), 'standin-soak-'))
process.once('exit', () => rmSync(dataFolder, { recursive: true, force: true }))
const parameters = node.dataDirectory(dataFolder)
const running = await startNode(node, { parameters })
const { client } = running
const stage = await new Stage(client).deploy()
const random = randomFrom(1)
const wantedBlocks = Number(flags.blocks)
const begin = performance.now()
const end = begin + Number(flags.minutes) * 60_000
/** Milliseconds that a turn is to take: somewhat less than the wanted blocks leave. */
const turn = flags.full ? 0 : (0.9 * (end - begin) * BLOCKS_A_TURN) / wantedBlocks
const samples = []
let blocks = 1
let accounts = 0

const hexOf = (value) => `0x${value.toString(16)}`
const repeated = (count, make) => Array.from({ length: count }, make)
const randomBlock = () => hexOf(1 + random(blocks))
const kinds = {
  'ten transfers': () =>
    stage.sendMany(
      repeated(10, () =>
        stage.signers[1].sign({
          to: `0x${(2n ** 100n + BigInt(random(100_000))).toString(16).padStart(40, '0')}`,
          value: 1n,
        }),
      ),
    ),
  'ten ERC-20 transfers': () =>
    stage.sendMany(repeated(10, () => stage.sign('transfer', [stage.signers[random(10)].address, 1n]))),
  'new accounts': async () => {
    await stage.fundAccounts(accounts, accounts + BLOCKS_A_TURN)
    accounts += BLOCKS_A_TURN
  },
  eth_call: () =>
    client.call('eth_call', stage.callObject('balanceOf', [stage.signers[0].address]), 'latest'),
  'eth_call in the past': () =>
    client.call('eth_call', stage.callObject('balanceOf', [stage.signers[0].address]), randomBlock()),
  eth_estimateGas: () =>
    client.call('eth_estimateGas', stage.callObject('transfer', [stage.signers[3].address, 1])),
  eth_getBlockByNumber: () => client.call('eth_getBlockByNumber', randomBlock(), true),
  eth_getLogs: () =>
    client.call('eth_getLogs', {
      fromBlock: randomBlock(),
      toBlock: 'latest',
      topics: [null, `0x${'0'.repeat(62)}07`],
    }),
  eth_getProof: () => client.call('eth_getProof', stage.contract, [`0x${'0'.repeat(64)}`], 'latest'),
  'evm_snapshot and evm_revert': async () => client.call('evm_revert', await client.call('evm_snapshot')),
}
/** Milliseconds that reads of random blocks take on the chain as it is. */
async function measureRandomBlocks() {
  const call = stage.callObject('balanceOf', [stage.signers[0].address])
  const works = {
    eth_getBlockByNumber: (number) => client.call('eth_getBlockByNumber', number, true),
    eth_call: (number) => client.call('eth_call', call, number),
    eth_getProof: (number) => client.call('eth_getProof', stage.contract, [`0x${'0'.repeat(64)}`], number),
  }
  const times = {}
  for (const [method, work] of Object.entries(works)) {
    times[method] = await settledLatency({ folder: dataFolder }, work, { count: SAMPLES, input: randomBlock })
  }
  return { blocks, accounts, memory: running.process.memory(), times }
}

/** Milliseconds to the first answer after the node was killed, once for each restart. */
async function measureRestarts() {
  await running.stop('SIGKILL')
  const restarts = []
  for (let count = 0; count < RESTARTS; count++) {
    const again = await startNode(node, { parameters })
    const head = Number(await again.client.call('eth_blockNumber'))
    if (head !== blocks) throw new Error(`block ${head} is the last after a restart, and not ${blocks}`)
    restarts.push(again.startMilliseconds)
    await again.stop('SIGKILL')
  }
  return restarts
}

function bytesOnDisk() {
  const entries = readdirSync(dataFolder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

let shortChain
while (performance.now() < end || blocks < wantedBlocks) {
  const times = {}
  for (const [kind, work] of Object.entries(kinds)) {
    const start = performance.now()
    await work()
    times[kind] = performance.now() - start
  }
  blocks += BLOCKS_A_TURN
  samples.push({ blocks, memory: running.process.memory(), times })
  const early = begin + samples.length * turn - performance.now()
  if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
  if (shortChain === undefined && blocks >= SHORT_CHAIN) shortChain = await measureRandomBlocks()
  if (samples.length % 500 === 0) console.log(`${blocks} blocks, ${samples.at(-1).memory?.toFixed(0)} MB`)
}
const longChain = await measureRandomBlocks()
const restarts = await measureRestarts()

const part = (index) =>
  samples.slice(
    Math.floor((index * samples.length) / PARTS),
    Math.floor(((index + 1) * samples.length) / PARTS),
  )
const medianOf = (index, kind) => summarise(part(index).map(({ times }) => times[kind])).median
const report = {
  blocks,
  accounts,
  bytesPerBlock: bytesOnDisk() / blocks,
  shortChain,
  longChain,
  restarts,
  mostMemoryAfterFirstTenth: Math.max(
    ...samples.slice(Math.ceil(samples.length / PARTS)).map(({ memory }) => memory),
  ),
  kinds: Object.fromEntries(
    Object.keys(kinds).map((kind) => {
      const medians = Array.from({ length: PARTS }, (_, index) => medianOf(index, kind))
      return [kind, { medians, lastOverFirst: medians[PARTS - 1] / medians[0] }]
    }),
  ),
}
const folder = resolve(flags.out ?? join(here, 'dist/soak'))
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'soak.json'), `${JSON.stringify(report, undefined, 2)}\n`)
const ends = Array.from({ length: PARTS }, (_, index) => part(index).at(-1))
const memory = ends.map(({ blocks: x, memory: y }) => ({ x, y }))
writeFileSync(
  join(folder, 'memory.svg'),
  plotSeries('Resident memory over blocks', 'MB', [{ name: 'standin', points: memory }]),
)
const series = Object.entries(report.kinds).map(([name, { medians }]) => ({
  name,
  points: medians.map((y, index) => ({ x: ends[index].blocks, y })),
}))
writeFileSync(join(folder, 'latency.svg'), plotSeries('Median time of a request over blocks', 'ms', series))
console.log(
  `${blocks} blocks; at most ${report.mostMemoryAfterFirstTenth.toFixed(0)} MB after the first tenth`,
)
for (const [kind, { lastOverFirst }] of Object.entries(report.kinds))
  console.log(`${kind}: last tenth ${lastOverFirst.toFixed(2)} × first`)
if (shortChain !== undefined) {
  for (const [method, milliseconds] of Object.entries(longChain.times)) {
    const rise = milliseconds / shortChain.times[method]
    console.log(
      `${method} of a random block: ${milliseconds.toFixed(3)} ms, ${rise.toFixed(2)} × at ${shortChain.blocks}`,
    )
  }
}
console.log(
  `restart after kill -9: ${summarise(restarts).median.toFixed(0)} ms; ${report.bytesPerBlock.toFixed(0)} bytes a block`,
)
process.exit(0)
