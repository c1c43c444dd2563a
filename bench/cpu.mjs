import { parseArgs } from 'node:util'
import { calls } from './groups/calls.mjs'
import { reads } from './groups/reads.mjs'
import { transactions } from './groups/transactions.mjs'
import { transport } from './groups/transport.mjs'
import { installedNodes } from './lib/nodes.mjs'
import { runGroup } from './lib/runner.mjs'

const usage = `node bench/cpu.mjs [options]

Measures the processor time that each node needs for the benchmark groups, as a ratio to the first node. On a busy
machine it varies less than rates do.

  --only a,b           groups: transport, transactions, calls, reads
  --match text         only rows whose title contains the text
  --nodes a,b          nodes to compare with the first of them; defaults to standin and all checkouts
  --checkout name=path another build of this node: the path of its bin/standin.js
  --rounds n           repetitions of every measurement, alternating between nodes`

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: 'transport,transactions,calls,reads' },
    match: { type: 'string', default: '' },
    nodes: { type: 'string' },
    checkout: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}

const sizes = { transfers: 300, queued: 500, executions: 2000, requests: 5000, logs: 5000 }
const groups = { transport, transactions, calls, reads }
const installed = installedNodes(flags.checkout)
const names = flags.nodes?.split(',') ?? ['standin', ...flags.checkout.map((pair) => pair.split('=')[0])]
const nodes = names.flatMap((name) => installed.get(name) ?? [])

for (const id of flags.only.split(',')) {
  const group = groups[id](sizes)
  const measures = group.measures.filter(({ title }) => title.includes(flags.match)).map(inProcessorTime)
  const own = { ...group, measures, withReference: false, roundsFactor: 1 }
  const { rows } = await runGroup(own, { nodes, rounds: Number(flags.rounds), log: console.log })
  for (const { title, nodes: measured } of rows) {
    const [first, ...others] = names.flatMap((name) => measured[name]?.median ?? [])
    const figures = [first, ...others].map((median) => `${median.toFixed(0)} ms`).join(', ')
    const ratios = others.map((median) => (median / first).toFixed(2)).join(', ')
    console.log(`${title}: ${figures}${ratios && `; ${ratios} of the first`}`)
  }
}
process.exit(0)

/** The same work, measured in milliseconds of processor time over all threads of the node. */
function inProcessorTime(measure) {
  return {
    ...measure,
    async run(running) {
      const before = running.process.processorTime()
      const result = await measure.run(running)
      if (result === undefined) return undefined
      return { value: (running.process.processorTime() - before) * 1000, answer: result.answer }
    },
  }
}
