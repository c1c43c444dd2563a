import { readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createNode } from '../../../src/index.js'
import { DifferenceClasses } from '../support/classes.js'
import { post, sharedMethods } from '../support/document.js'
import { numberOption, temporaryDirectory, textOption } from '../support/processes.js'
import { Random } from '../support/random.js'
import { makeChain, signers } from './chain.js'
import { hasFork } from '../chains/transactions.js'
import { compareAnswers } from './compare.js'
import { expectedDifferences } from './expected.js'
import { makeForkChain } from './forkChain.js'
import { Generator } from './generate.js'
import { findGeth, startGeth } from './peer.js'
import { poolRequests, poolViews } from './pool.js'

/** Options for a comparison with geth. */
export interface RunOptions {
  seed: number
  requests: number
  /** Fork of the chain; the last one by default. */
  hardfork?: string | undefined
  /** Only methods whose names match. */
  methods?: RegExp | undefined
  /** Bodies to send instead of generated requests, on the seed's chain. Both answers to each are logged. */
  bodies?: readonly string[] | undefined
  log: (line: string) => void
}

/** Result of a comparison. */
export interface RunResult {
  identical: number
  /** Number of compared answers, including those about the pools. */
  compared: number
  classes: DifferenceClasses
}

const GAS_LIMIT = 30_000_000n
/** Gas cap of eth_call and similar methods: ten block gas limits. */
const GAS_CAP = 10n * GAS_LIMIT

/**
 * Sends the same seeded requests to this node and to geth, on the same chain.
 *
 * @returns undefined if geth can be neither found nor built
 */
export async function compareWithGeth({
  seed,
  requests,
  hardfork,
  methods: wanted,
  bodies,
  log,
}: RunOptions): Promise<RunResult | undefined> {
  const program = await findGeth()
  if (program === undefined) return undefined
  const directory = temporaryDirectory('standin-differential-')
  const random = new Random(seed)
  const files = await (hardfork === undefined
    ? makeChain(directory, random, { txGasLimit: true, gasLimit: GAS_LIMIT })
    : makeForkChain(directory, random, hardfork))
  const isMerged = hardfork === undefined || hasFork(hardfork, 'paris')
  const geth = await startGeth(program, directory, files, { gasCap: GAS_CAP, gasLimit: GAS_LIMIT, isMerged })
  const node = await createNode({
    genesis: files.genesis,
    import: files.chain,
    noMining: true,
    txGasLimit: true,
    noTotalDifficulty: true,
    pendingFields: 'geth',
  })
  const classes = new DifferenceClasses(expectedDifferences)
  let identical = 0
  let compared = 0
  try {
    const shared = await sharedMethods(node.url, geth.url, (name) => !excludedMethods.test(name))
    const methods = shared.filter(({ name }) => wanted?.test(name) ?? true)
    const generator = new Generator(random, files.facts, methods)
    const compare = async (body: string): Promise<void> => {
      const [ours, theirs] = await Promise.all([post(node.url, body), post(geth.url, body)])
      if (bodies !== undefined) log(`${body}\n  ours   ${ours}\n  theirs ${theirs}`)
      const difference = compareAnswers(body, ours, theirs)
      compared++
      if (difference === undefined) identical++
      else classes.add(difference)
    }
    for (const body of bodies ?? []) await compare(body)
    for (let index = 0; bodies === undefined && index < requests; index++) {
      if (index % 1000 === 999) log(`${index + 1} of ${requests}, ${classes.unexplained} unexplained classes`)
      await compare(generator.next())
    }
    if (bodies === undefined && (wanted === undefined || wanted.test('txpool_content'))) {
      // The pools come last: pending transactions affect answers to other requests.
      const nonces = await Promise.all(signers.map(({ address }) => nonceOf(geth.url, address)))
      const { chainId } = files.facts
      for await (const body of poolRequests(random, { chainId, nonces, count: Math.ceil(requests / 20) })) {
        await compare(body)
      }
      await sleep(POOL_SETTLES_MILLISECONDS)
      for (const body of poolViews()) await compare(body)
    }
  } catch (error) {
    for (const line of classes.report()) log(line)
    throw error
  } finally {
    await Promise.allSettled([node.stop(), geth.stop()])
    await rm(directory, { recursive: true, force: true })
  }
  return { identical, compared, classes }
}

/** geth moves transactions between its queues some time after it accepts them. */
const POOL_SETTLES_MILLISECONDS = 1_000

async function nonceOf(url: string, address: string): Promise<number> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getTransactionCount',
    params: [address, 'latest'],
  })
  return Number((JSON.parse(await post(url, body)) as { result: string }).result)
}

/** Methods whose answers depend on the machine or the time, or that change what later requests see. */
const excludedMethods =
  /^(web3_clientVersion|eth_accounts|rpc_modules|eth_syncing|net_|eth_new|eth_capabilities|debug_setHead|eth_subscribe|eth_unsubscribe|debug_(un)?subscribe|eth_sign(?!Transaction)|eth_sendTransaction|eth_pendingTransactions)/

/**
 * The command `npm run differential -- geth [--seed N] [--requests N] [--hardfork NAME] [--methods REGEXP]
 * [--bodies FILE]`. Returns 1 if differences remain unexplained.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const requests = numberOption(argv, 'requests', 2000)
  const methods = textOption(argv, 'methods')
  const file = textOption(argv, 'bodies')
  const bodies = file === undefined ? undefined : (await readFile(file, 'utf8')).split('\n').filter(Boolean)
  const result = await compareWithGeth({
    seed: numberOption(argv, 'seed', 1),
    requests,
    hardfork: textOption(argv, 'hardfork'),
    methods: methods === undefined ? undefined : new RegExp(methods),
    bodies,
    log: (line) => console.error(line),
  })
  if (result === undefined) {
    console.error('geth not found: install Go, or set STANDIN_GETH to the path of the program')
    return 2
  }
  console.log(`${result.identical} of ${result.compared} answers are identical`)
  for (const line of result.classes.report()) console.log(line)
  return result.classes.unexplained === 0 ? 0 : 1
}
