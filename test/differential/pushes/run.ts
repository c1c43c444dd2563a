import { rm } from 'node:fs/promises'
import { createNode } from '../../../src/index.js'
import { makeChain } from '../geth/chain.js'
import { compareAnswers } from '../geth/compare.js'
import { findGeth, startGeth } from '../geth/peer.js'
import { DifferenceClasses, type ExpectedDifference } from '../support/classes.js'
import { numberOption, temporaryDirectory } from '../support/processes.js'
import { Random } from '../support/random.js'
import { Branches, type MadeBlock } from './branches.js'
import { compareRanges } from './ranges.js'
import { Subscriber } from './subscriber.js'

/** Intended differences, with their reasons. */
const expectedDifferences: readonly ExpectedDifference[] = [
  {
    reason:
      'transactions of removed blocks are pending again at once; in geth only when its pool has been reset',
    matches: ({ name, request }) => /pending/i.test(name) && request.includes('"isUnsettled":true'),
  },
]

/** Options for a comparison of pushes. */
export interface PushesOptions {
  seed: number
  /** Number of head changes. */
  rounds: number
  log: (line: string) => void
}

/** Result of a comparison of pushes. */
export interface PushesResult {
  /** Number of notifications from this node, including entries collected by its filters. */
  pushed: number
  /** Number of head changes that were reorganisations. */
  reorganisations: number
  classes: DifferenceClasses
}

const GAS_LIMIT = 30_000_000n
/** A round ends after this time without a push. */
const QUIET_MILLISECONDS = 400
/** Maximum number of blocks that a reorganisation removes. */
const MAX_DEPTH = 5

/**
 * Sends the same blocks and transactions, including reorganisations, to this node and to geth. Compares, in order, what
 * both push and what their filters collect.
 *
 * @returns undefined if geth can be neither found nor built
 */
export async function comparePushes({ seed, rounds, log }: PushesOptions): Promise<PushesResult | undefined> {
  const program = await findGeth()
  if (program === undefined) return undefined
  const directory = temporaryDirectory('standin-pushes-')
  const random = new Random(seed)
  const files = await makeChain(directory, random, { txGasLimit: true, gasLimit: GAS_LIMIT })
  const geth = await startGeth(program, directory, files, { gasCap: GAS_LIMIT, gasLimit: GAS_LIMIT })
  const options = { genesis: files.genesis, import: files.chain, noMining: true, txGasLimit: true } as const
  const [node, maker] = await Promise.all([
    createNode({ ...options, pendingFields: 'geth' }),
    createNode({ ...options, listen: false }),
  ])
  const result: PushesResult = {
    pushed: 0,
    reorganisations: 0,
    classes: new DifferenceClasses(expectedDifferences),
  }
  const sides = await Promise.all([Subscriber.connect(node.wsUrl), Subscriber.connect(geth.wsUrl)])
  try {
    await compareRanges(sides, random, files.facts.head, result.classes)
    for (const side of sides) await watch(side, files.facts.contracts)
    const branches = new Branches(maker, random, files.facts)
    const announce = async (raw: string): Promise<void> => {
      await Promise.all(sides.map((side) => side.call('eth_sendRawTransaction', [raw])))
    }
    const zero = `0x${'00'.repeat(32)}`
    // A new branch becomes canonical in one step; other blocks follow one by one.
    const importIntoGeth = async (blocks: readonly MadeBlock[], isBranch: boolean): Promise<void> => {
      for (const { payload, hash } of blocks) {
        await geth.engine('engine_newPayloadV4', payload)
        if (isBranch && hash !== blocks.at(-1)?.hash) continue
        const forkchoice = { headBlockHash: hash, safeBlockHash: zero, finalizedBlockHash: zero }
        await geth.engine('engine_forkchoiceUpdatedV3', [forkchoice, null])
      }
    }
    const path: number[] = []
    let lastRemoved = 0
    for (let round = 0; round < rounds; round++) {
      const removed = Math.min(path.length, random.pick([0, 0, 1, 1, 2, MAX_DEPTH]))
      const added = 1 + random.below(removed > 0 ? removed + 2 : 2)
      if (removed > 0) result.reorganisations++
      const blocks = await branches.grow({ removed, added }, announce)
      path.length -= removed
      path.push(...blocks.map(() => round))
      await node.request('standin_importBlocks', [blocks.map(({ raw }) => raw)])
      await importIntoGeth(blocks, removed > 0)
      for (const side of sides) side.touch()
      const [ours, theirs] = await Promise.all(sides.map((side) => side.settled(QUIET_MILLISECONDS)))
      // What geth announces after a reorganisation may come only with the next block.
      const isUnsettled = removed > 0 || lastRemoved > 0
      lastRemoved = removed
      if (ours === undefined || theirs === undefined) continue
      for (const [name, seen] of ours) {
        if (Array.isArray(seen)) result.pushed += seen.length
        const request = JSON.stringify({ method: name, removed, added, round, isUnsettled })
        const [a, b] = [seen, theirs.get(name)].map((value) => inOrder(name, value))
        const difference = compareAnswers(request, JSON.stringify(a), JSON.stringify(b))
        if (difference !== undefined) result.classes.add(difference)
      }
      if (round % 50 === 49)
        log(`${round + 1} of ${rounds}, ${result.classes.unexplained} unexplained classes`)
    }
  } finally {
    for (const side of sides) side.close()
    await Promise.allSettled([node.stop(), maker.stop(), geth.stop()])
    await rm(directory, { recursive: true, force: true })
  }
  return result
}

/** Opens a subscription and a filter of every kind. */
async function watch(side: Subscriber, contracts: readonly string[]): Promise<void> {
  const [keeper, reverter] = contracts
  const word = `0x${'00'.repeat(31)}2a`
  const queries: Record<string, object> = {
    all: {},
    'by address': { address: keeper },
    'by addresses': { address: [keeper, reverter] },
    'by topic': { topics: [[word, `0x${'00'.repeat(32)}`]] },
    'by second topic': { topics: [null, word] },
  }
  await side.subscribe('newHeads', ['newHeads'])
  await side.subscribe('newPendingTransactions', ['newPendingTransactions'])
  await side.subscribe('newPendingTransactions full', ['newPendingTransactions', true])
  await side.subscribe('transactionReceipts', ['transactionReceipts'])
  await side.filter('block filter', 'eth_newBlockFilter', [])
  await side.filter('pending filter', 'eth_newPendingTransactionFilter', [])
  for (const [name, query] of Object.entries(queries)) {
    await side.subscribe(`logs ${name}`, ['logs', query])
    await side.filter(`log filter ${name}`, 'eth_newFilter', [query])
  }
}

/** Sorts pending transactions: geth reports them in the random order of a Go map of accounts. */
function inOrder(name: string, seen: unknown): unknown {
  if (!/pending/i.test(name) || !Array.isArray(seen)) return seen
  return seen.map((item) => JSON.stringify(item)).sort()
}

/**
 * The command `npm run differential -- pushes [--seed N] [--rounds N]`. Returns 1 if differences remain unexplained.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const result = await comparePushes({
    seed: numberOption(argv, 'seed', 1),
    rounds: numberOption(argv, 'rounds', 100),
    log: (line) => console.error(line),
  })
  if (result === undefined) {
    console.error('geth not found: install Go, or set STANDIN_GETH to the path of the program')
    return 2
  }
  console.log(`${result.pushed} notifications, ${result.reorganisations} reorganisations`)
  for (const line of result.classes.report()) console.log(line)
  return result.classes.unexplained === 0 ? 0 : 1
}
