import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createNode } from '../../../src/index.js'
import { Transactions } from '../chains/transactions.js'
import { genesisOf } from '../support/genesis.js'
import type { Random } from '../support/random.js'
import { type ChainFiles, collectFacts, exportChain, genesisFacts } from './chain.js'

/** Number of blocks on the chain of an earlier fork. */
const FORK_BLOCKS = 15

/** Makes a chain on an earlier fork, of random transactions of all types that it has, and exports it to files. */
export async function makeForkChain(directory: string, random: Random, fork: string): Promise<ChainFiles> {
  const dataDir = join(directory, 'made')
  const genesis = join(directory, 'fork.json')
  await writeFile(genesis, await genesisOf(fork, directory))
  const node = await createNode({ genesis, dataDir, deterministic: true, noMining: true, listen: false })
  const facts = genesisFacts(node)
  try {
    const transactions = new Transactions(random, { fork, chainId: node.chainId })
    for (; facts.head < FORK_BLOCKS; facts.head++) {
      for (let count = random.below(4); count > 0; count--) {
        const { raw } = await transactions.next()
        await node.request('eth_sendRawTransaction', [raw]).catch(() => undefined)
      }
      await node.request('evm_mine')
    }
    await collectFacts(node, facts)
  } finally {
    await node.stop()
  }
  return exportChain(directory, dataDir, facts)
}
