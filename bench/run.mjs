import { cpus } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { calls } from './groups/calls.mjs'
import { measureRestart } from './groups/durability.mjs'
import { accounts, chain, slots } from './groups/growth.mjs'
import { imports } from './groups/imports.mjs'
import { reads } from './groups/reads.mjs'
import { stops } from './groups/stops.mjs'
import { transactions } from './groups/transactions.mjs'
import { measureColdStart, transport } from './groups/transport.mjs'
import { BARE, COLD_START, starting } from './lib/goals.mjs'
import { installedNodes } from './lib/nodes.mjs'
import { writeReport } from './lib/report.mjs'
import { runGroup } from './lib/runner.mjs'
import { summarise } from './lib/statistics.mjs'
import { measureFiles } from './groups/upload.mjs'

const usage = `npm run bench -- [options]

  --quick              a few minutes: fewer repetitions, smaller chains
  --only a,b           groups: start, transport, transactions, calls, reads, stops, imports, accounts,
                       slots, chain, restart, upload
  --nodes a,b          nodes: standin, anvil, hardhat, ganache, "bare node:http"; defaults to all installed ones
  --checkout name=path another build of this node to compare: the path of its bin/standin.js
  --rounds n           repetitions of every measurement
  --out directory      where to write results.md, results.json and the plots`

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    nodes: { type: 'string' },
    checkout: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}

const full = {
  transfers: 1000,
  queued: 1000,
  executions: 8000,
  requests: 10_000,
  logs: 10_000,
  samples: 100,
  stateSize: 10_000,
  accountSizes: [100, 10_000, 100_000],
  slotSizes: [100, 10_000, 50_000],
  chainSizes: [1000, 5000, 10_000, 20_000],
  restart: { blocks: 10_000, accounts: 100_000 },
  uploadMebibytes: 512,
  smallFiles: 10_000,
  readers: 1000,
}
const quick = {
  ...full,
  transfers: 300,
  executions: 500,
  requests: 3000,
  samples: 30,
  stateSize: 2000,
  accountSizes: [100, 2000, 10_000],
  slotSizes: [100, 2000, 10_000],
  chainSizes: [200, 1000, 2000],
  restart: { blocks: 1000, accounts: 5000 },
  uploadMebibytes: 128,
  smallFiles: 2000,
}
const sizes = flags.quick ? quick : full
const rounds = Number(flags.rounds ?? (flags.quick ? 3 : 5))
const installed = installedNodes(flags.checkout)
const wanted = flags.nodes?.split(',') ?? [...installed.keys()]
const nodes = wanted.flatMap((name) => installed.get(name) ?? [])
const names = nodes.map(({ name }) => name)
const isWanted = (id) => flags.only === undefined || flags.only.split(',').includes(id)
const log = (line) => console.log(line)
const rows = []
const notes = []

const here = dirname(fileURLToPath(import.meta.url))
const directory = resolve(flags.out ?? join(here, 'dist/results'))
const versions = nodes.flatMap(({ name, version }) => (version === undefined ? [] : [`${name} ${version}`]))
const [cpu] = cpus()
const machine = `${cpus().length} × ${cpu.model}, Node ${process.version}; ${versions.join(', ')}; ${rounds} rounds, medians (minimum–maximum).`

/** Writes the report. Called after each group, so that an aborted run leaves its results. @returns the table */
function report() {
  return writeReport(directory, { rows, notes, names, machine })
}

function addRow(group, title, unit, goal, values, better = 'lower') {
  const measured = Object.entries(values).map(([name, list]) => [name, summarise(list)])
  rows.push({ group, title, unit, better, goal, nodes: Object.fromEntries(measured) })
}

if (isWanted('start')) {
  log('start')
  addRow(
    'start',
    COLD_START,
    'ms',
    { plus: 100, of: BARE, name: 'bare Node', yardstick: starting },
    // A start takes a quarter of a second, so other work on the machine distorts it easily.
    await measureColdStart({ nodes, rounds: 4 * rounds }),
  )
}
for (const make of [transport, transactions, calls, reads, stops, imports, accounts, slots, chain]) {
  const group = make(sizes)
  if (!isWanted(group.id)) continue
  log(group.id)
  const results = await runGroup(group, { nodes, rounds, log })
  rows.push(...results.rows)
  notes.push(...results.notes)
  report()
}
if (isWanted('restart')) {
  log('restart')
  const { restarts, survivals } = await measureRestart({ nodes, rounds, ...sizes.restart, log })
  const { blocks, accounts: accountCount } = sizes.restart
  const what = `restart on ${blocks.toLocaleString('en-US')} blocks and ${accountCount.toLocaleString('en-US')} accounts`
  addRow(
    'restart',
    what,
    'ms',
    { plus: 100, of: 'standin', title: COLD_START, name: 'cold start', yardstick: starting },
    restarts,
  )
  addRow(
    'restart',
    'the last acknowledged transaction survives kill -9',
    'share',
    { limit: 1 },
    survivals,
    'higher',
  )
}
if (isWanted('upload')) {
  log('upload')
  const { uploadMebibytes: mebibytes, smallFiles, readers } = sizes
  const files = await measureFiles({ nodes, rounds: 2 * rounds, mebibytes, smallFiles, readers, log })
  const count = smallFiles.toLocaleString('en-US')
  const large = `upload of ${mebibytes} MiB`
  addRow('upload', large, 'MiB/s', { times: 0.8, of: BARE, name: 'bare' }, files.upload, 'higher')
  addRow(
    'upload',
    `cat of ${mebibytes} MiB`,
    'MiB/s',
    { times: 1.5, of: BARE, title: large, name: 'bare upload' },
    files.cat,
    'higher',
  )
  addRow(
    'upload',
    `upload of ${count} small files; bare: importer only`,
    'ms',
    { times: 1.5, of: BARE, name: 'bare' },
    files.smallFiles,
  )
  addRow('upload', `${readers} readers of 1 MiB at once`, 'ms', { also: 'no error' }, files.readers)
  addRow('upload', 'peak memory during these', 'MB', { limit: 300 }, files.memory)
}

console.log(`\n${report()}\n\nWritten to ${directory}`)
process.exit(0)
