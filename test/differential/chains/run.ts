import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createNode } from '../../../src/index.js'
import { exportFiles } from '../../../src/node/exportFiles.js'
import { findGeth } from '../geth/peer.js'
import { genesisOf, withDistantMerge } from '../support/genesis.js'
import { numberOption, runToEnd, temporaryDirectory, textOption } from '../support/processes.js'
import { Random } from '../support/random.js'
import { makeDevChain } from './devChain.js'
import { forks, Transactions } from './transactions.js'

/** Options for an exchange of chains. */
export interface ChainsOptions {
  seed: number
  /** Number of blocks per fork. */
  blocks: number
  /** Only chains whose names match. */
  only?: RegExp | undefined
  log: (line: string) => void
}

/** Result of an exchange of chains. */
export interface ChainsResult {
  blocks: number
  transactions: number
  /** Why chains were refused, by their names. */
  refusals: Map<string, string>
}

/** Exclusive maximum of transactions per block. */
const MAX_TRANSACTIONS = 8

/**
 * Makes a chain of random transactions on every fork for geth to import, and imports one made by geth.
 *
 * @returns undefined if geth can be neither found nor built
 */
export async function exchangeChains({
  seed,
  blocks,
  only,
  log,
}: ChainsOptions): Promise<ChainsResult | undefined> {
  const program = await findGeth()
  if (program === undefined) return undefined
  const folder = temporaryDirectory('standin-chains-')
  const result: ChainsResult = { blocks: 0, transactions: 0, refusals: new Map() }
  const attempt = async (name: string, work: (directory: string) => Promise<number>): Promise<void> => {
    if (only?.test(name) === false) return
    const directory = join(folder, String(result.blocks + result.refusals.size))
    await mkdir(directory)
    try {
      const transactions = await work(directory)
      result.blocks += blocks
      result.transactions += transactions
      log(`${name}: ${blocks} blocks with ${transactions} transactions`)
    } catch (error) {
      result.refusals.set(name, error instanceof Error ? error.message : String(error))
    }
  }
  try {
    for (const [index, fork] of forks.entries()) {
      const random = new Random(seed * forks.length + index)
      await attempt(`${fork}, imported by geth`, (directory) =>
        importIntoGeth({ program, directory, fork, random, blocks }),
      )
    }
    const random = new Random(seed)
    await attempt('made by geth, imported here', (directory) =>
      importFromGeth({ program, directory, random, blocks }),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return result
}

/**
 * Imports a chain made by geth.
 *
 * @returns its number of transactions
 * @throws with this node's reason for refusing a block
 */
async function importFromGeth({
  program,
  directory,
  random,
  blocks,
}: Omit<ForkChain, 'fork'>): Promise<number> {
  const dataDir = join(directory, 'made')
  const genesis = join(directory, 'genesis.json')
  await (await createNode({ dataDir, deterministic: true, listen: false })).stop()
  await exportFiles({
    dataDir,
    network: undefined,
    file: join(directory, 'none'),
    genesisFile: genesis,
    to: undefined,
  })
  const { chain, head, transactions } = await makeDevChain({
    program,
    directory,
    genesis,
    random,
    blocks,
  })
  const node = await createNode({ genesis, import: chain, noMining: true, listen: false })
  try {
    const { hash } = (await node.request('eth_getBlockByNumber', ['latest', false])) as { hash: string }
    if (hash !== head) throw new Error(`the head is ${hash}, and in geth ${head}`)
  } finally {
    await node.stop()
  }
  return transactions
}

interface ForkChain {
  program: string
  directory: string
  fork: string
  random: Random
  blocks: number
}

/**
 * Makes a chain and lets geth import it.
 *
 * @returns its number of transactions
 * @throws with geth's reason for refusing a block
 */
async function importIntoGeth({ program, directory, fork, random, blocks }: ForkChain): Promise<number> {
  const dataDir = join(directory, 'made')
  const genesis = join(directory, 'genesis.json')
  await writeFile(genesis, await genesisOf(fork, directory))
  const node = await createNode({ dataDir, genesis, deterministic: true, noMining: true, listen: false })
  let mined = 0
  try {
    const transactions = new Transactions(random, { fork, chainId: node.chainId })
    for (let block = 0; block < blocks; block++) {
      for (let count = random.below(MAX_TRANSACTIONS); count > 0; count--) {
        const { raw } = await transactions.next()
        // An account must not have pending transactions with and without blobs at the same time.
        await node.request('eth_sendRawTransaction', [raw]).catch(async () => {
          await node.request('evm_mine')
          await node.request('eth_sendRawTransaction', [raw])
        })
      }
      await node.request('evm_mine')
    }
    const head = Number(await node.request('eth_blockNumber'))
    for (let number = 1; number <= head; number++) {
      const count = await node.request('eth_getBlockTransactionCountByNumber', [`0x${number.toString(16)}`])
      mined += Number(count)
    }
  } finally {
    await node.stop()
  }
  const chain = join(directory, 'chain.rlp')
  const { last } = await exportFiles({
    dataDir,
    network: undefined,
    file: chain,
    genesisFile: genesis,
    to: undefined,
  })
  await writeFile(genesis, withDistantMerge(await readFile(genesis, 'utf8')))
  const geth = ['--datadir', join(directory, 'geth'), '--state.scheme', 'hash']
  await runToEnd(program, [...geth, 'init', genesis])
  const printed = await runToEnd(program, [...geth, 'import', chain]).catch(String)
  const back = join(directory, 'back.rlp')
  await runToEnd(program, [...geth, 'export', back, '1', String(last)]).catch(() => undefined)
  const [ours, theirs] = await Promise.all([readFile(chain), readFile(back).catch(() => undefined)])
  if (theirs === undefined || !ours.equals(theirs)) throw new Error(refusalIn(printed))
  return mined
}

/** Extracts the reason for a refused block from geth's log. */
function refusalIn(printed: string): string {
  const lines = printed.split('\n').filter((line) => /ERROR|error|bad block|invalid|Fatal/i.test(line))
  return lines.slice(0, 6).join('\n') || printed.slice(-1000)
}

/**
 * The command `npm run differential -- chains [--seed N] [--blocks N] [--only REGEXP]`. Returns 1 if a chain is
 * refused.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const only = textOption(argv, 'only')
  const result = await exchangeChains({
    seed: numberOption(argv, 'seed', 1),
    blocks: numberOption(argv, 'blocks', 10),
    only: only === undefined ? undefined : new RegExp(only),
    log: (line) => console.error(line),
  })
  if (result === undefined) {
    console.error('geth not found: install Go, or set STANDIN_GETH to the path of the program')
    return 2
  }
  const { blocks, transactions, refusals } = result
  console.log(`${blocks} blocks with ${transactions} transactions imported, ${refusals.size} chains refused`)
  for (const [name, reason] of refusals) console.log(`\n${name}\n  ${reason}`)
  return refusals.size === 0 ? 0 : 1
}
