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
 * Runs a mixed load on one node for a long time and reports how its memory and the latency of each kind of request
 * develop, what reading a random block costs compared with a short chain, and how long a restart after kill -9 takes.
 */

const usage = `node bench/soak.mjs [options]

  --minutes n          minimum duration; defaults to 60
  --blocks n           minimum number of blocks, even if they take longer; defaults to 200,000
  --full               send requests back to back instead of spreading the blocks over the duration
  --checkout path      another build of this node: the path of its bin/standin.js
  --out directory      where to write soak.json and the plots`

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
/**
 * Ten ether transfers, ten ERC-20 transfers, and one transaction that creates as many accounts as a round has blocks.
 */
const BLOCKS_PER_ROUND = 21
/** Number of blocks at which random blocks are measured for comparison. */
const SHORT_CHAIN = 10_000
const SAMPLES = 300
const RESTARTS = 5
const here = dirname(fileURLToPath(import.meta.url))
const nodes = installedNodes(flags.checkout === undefined ? [] : [`checkout=${flags.checkout}`])
const node = nodes.get(flags.checkout === undefined ? 'standin' : 'checkout')
const dataDirectory = mkdtempSync(join(tmpdir(), 'standin-soak-'))
process.once('exit', () => rmSync(dataDirectory, { recursive: true, force: true }))
const parameters = node.dataDirectory(dataDirectory)
const running = await startNode(node, { parameters })
const { client } = running
const stage = await new Stage(client).deploy()
const random = randomFrom(1)
const wantedBlocks = Number(flags.blocks)
const begin = performance.now()
const end = begin + Number(flags.minutes) * 60_000
/** Planned milliseconds of a round: 90 % of what the number of blocks allows. */
const roundMilliseconds = flags.full ? 0 : (0.9 * (end - begin) * BLOCKS_PER_ROUND) / wantedBlocks
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
    await stage.fundAccounts(accounts, accounts + BLOCKS_PER_ROUND)
    accounts += BLOCKS_PER_ROUND
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
/** Measures reads of random blocks at the chain's current length, in milliseconds. */
async function measureRandomBlocks() {
  const call = stage.callObject('balanceOf', [stage.signers[0].address])
  const works = {
    eth_getBlockByNumber: (number) => client.call('eth_getBlockByNumber', number, true),
    eth_call: (number) => client.call('eth_call', call, number),
    eth_getProof: (number) => client.call('eth_getProof', stage.contract, [`0x${'0'.repeat(64)}`], number),
  }
  const times = {}
  for (const [method, work] of Object.entries(works)) {
    times[method] = await settledLatency({ directory: dataDirectory }, work, {
      count: SAMPLES,
      input: randomBlock,
    })
  }
  return { blocks, accounts, memory: running.process.memory(), times }
}

/** Kills and restarts the node. @returns the milliseconds to the first answer of each restart */
async function measureRestarts() {
  await running.stop('SIGKILL')
  const restarts = []
  for (let count = 0; count < RESTARTS; count++) {
    const again = await startNode(node, { parameters })
    const head = Number(await again.client.call('eth_blockNumber'))
    if (head !== blocks) throw new Error(`the head after a restart is block ${head} instead of ${blocks}`)
    restarts.push(again.startMilliseconds)
    await again.stop('SIGKILL')
  }
  return restarts
}

function bytesOnDisk() {
  const entries = readdirSync(dataDirectory, { recursive: true, withFileTypes: true })
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
  blocks += BLOCKS_PER_ROUND
  samples.push({ blocks, memory: running.process.memory(), times })
  const early = begin + samples.length * roundMilliseconds - performance.now()
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
  maxMemoryAfterFirstTenth: Math.max(
    ...samples.slice(Math.ceil(samples.length / PARTS)).map(({ memory }) => memory),
  ),
  kinds: Object.fromEntries(
    Object.keys(kinds).map((kind) => {
      const medians = Array.from({ length: PARTS }, (_, index) => medianOf(index, kind))
      return [kind, { medians, lastOverFirst: medians[PARTS - 1] / medians[0] }]
    }),
  ),
}
const directory = resolve(flags.out ?? join(here, 'dist/soak'))
mkdirSync(directory, { recursive: true })
writeFileSync(join(directory, 'soak.json'), `${JSON.stringify(report, undefined, 2)}\n`)
const ends = Array.from({ length: PARTS }, (_, index) => part(index).at(-1))
const memory = ends.map(({ blocks: x, memory: y }) => ({ x, y }))
writeFileSync(
  join(directory, 'memory.svg'),
  plotSeries('Resident memory over blocks', 'MB', [{ name: 'standin', points: memory }]),
)
const series = Object.entries(report.kinds).map(([name, { medians }]) => ({
  name,
  points: medians.map((y, index) => ({ x: ends[index].blocks, y })),
}))
writeFileSync(
  join(directory, 'latency.svg'),
  plotSeries('Median time of a request over blocks', 'ms', series),
)
console.log(
  `${blocks} blocks; peak memory after the first tenth: ${report.maxMemoryAfterFirstTenth.toFixed(0)} MB`,
)
for (const [kind, { lastOverFirst }] of Object.entries(report.kinds))
  console.log(`${kind}: last tenth takes ${lastOverFirst.toFixed(2)} × the first`)
if (shortChain !== undefined) {
  for (const [method, milliseconds] of Object.entries(longChain.times)) {
    const rise = milliseconds / shortChain.times[method]
    console.log(
      `${method} at a random block: ${milliseconds.toFixed(3)} ms, ${rise.toFixed(2)} × the time at ${shortChain.blocks} blocks`,
    )
  }
}
console.log(
  `restart after kill -9: ${summarise(restarts).median.toFixed(0)} ms; ${report.bytesPerBlock.toFixed(0)} bytes per block`,
)
process.exit(0)
