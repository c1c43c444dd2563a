import { compareAnswers } from '../geth/compare.js'
import { tracers } from '../geth/values.js'
import type { DifferenceClasses } from '../support/classes.js'
import type { Random } from '../support/random.js'
import type { Subscriber } from './subscriber.js'

const REQUESTS = 16
/** Time without a push between two looks at what has arrived, and the number of looks for the last block's traces. */
const QUIET_MILLISECONDS = 300
const MAX_LOOKS = 10
/** Without a tracer, a block of random programs has traces of megabytes. */
const MAX_RANGE = 4

/** Compares what both nodes push of the traces of random ranges of the common chain, or how they refuse them. */
export async function compareRanges(
  sides: readonly Subscriber[],
  random: Random,
  head: number,
  classes: DifferenceClasses,
): Promise<void> {
  for (let count = REQUESTS; count > 0; count--) {
    const params = ['traceChain', ...range(random, head)]
    const [ours = '', theirs = ''] = await Promise.all(
      sides.map((side) => outcome(side, `range ${count}`, params)),
    )
    const request = JSON.stringify({ method: 'debug_subscribe', params })
    const difference = compareAnswers(request, ours, theirs)
    if (difference !== undefined) classes.add(difference)
  }
}

async function outcome(side: Subscriber, name: string, params: readonly unknown[]): Promise<string> {
  const error = await side.open(name, 'debug_subscribe', params)
  if (error !== undefined) return JSON.stringify({ error })
  const pushed: unknown[] = []
  for (let looks = 0; looks < MAX_LOOKS && !endsAt(params[2], pushed.at(-1)); looks++) {
    side.touch()
    pushed.push(...((await side.settled(QUIET_MILLISECONDS)).get(name) as unknown[]))
  }
  return JSON.stringify({ result: pushed })
}

/** Whether a push is that of a block; never for the pending one. */
function endsAt(block: unknown, push: unknown): boolean {
  return JSON.stringify(push ?? null).startsWith(`{"block":${JSON.stringify(block)},`)
}

function range(random: Random, head: number): unknown[] {
  const start = random.below(head + 1)
  const end = start + random.below(MAX_RANGE + 1)
  const configs: object[] = [
    ...[{}, { limit: 100 }, { enableMemory: true, disableStack: true }, { timeout: '1' }, [1]],
    ...rangeTracers.map((tracer) => ({ tracer })),
    { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  ]
  const blocks = random.chance(0.8)
    ? [`0x${start.toString(16)}`, `0x${end.toString(16)}`]
    : [random.pick(oddBlocks), random.pick(oddBlocks)]
  return random.chance(0.1) ? blocks : [...blocks, random.pick(configs)]
}

/** Without erc7562Tracer: it panics on contract creations, and geth does not recover from that while it traces a range. */
const rangeTracers = tracers.filter((tracer) => tracer !== 'erc7562Tracer')

const oddBlocks = ['latest', 'pending', 'safe', 'earliest', '0x1', '0x2', '0x99', '0x', 1, null, {}]
