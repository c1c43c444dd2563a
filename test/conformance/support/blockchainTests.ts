import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ImportError } from '../../../src/chain/errors.js'
import { decodeBlock } from '../../../src/chain/import/blockParts.js'
import type { Chain } from '../../../src/chain/chain.js'
import { createForkSchedule } from '../../../src/chain/evm/forkSchedule.js'
import { bytesToHex, hexToBytes } from '../../../src/encoding/hex.js'
import { openDatabase, type Database } from '../../../src/storage/database.js'
import { openTestChain } from '../../support/testChain.js'
import { accountsOf, expectSame, hardforkOf, outcomeOf, readVectors, type Outcome } from './vectors.js'

interface BlockchainTest {
  network: string
  genesisRLP: string
  pre: unknown
  blocks: { rlp: string; expectException?: string }[]
  lastblockhash: string
}

/** Runs the blockchain tests of a file, each on its own chain in a database on disk. */
export async function* runBlockchainTests(path: string): AsyncGenerator<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), 'standin-blocks-'))
  const database = await openDatabase({ directory, sync: false })
  try {
    for (const [network, [name, test]] of readVectors<BlockchainTest>(path).entries()) {
      yield await outcomeOf(name, () => runOne(test, database, network))
    }
  } finally {
    await database.close()
    await rm(directory, { recursive: true, force: true })
  }
}

async function runOne(test: BlockchainTest, database: Database, network: number): Promise<void> {
  const chain = await begin(test, database, network)
  for (const { rlp, expectException } of test.blocks) {
    const refusal = await importBlock(chain, hexToBytes(rlp))
    if ((refusal === undefined) !== (expectException === undefined)) {
      throw new Error(`expected ${expectException ?? 'no refusal'}, got ${refusal ?? 'none'}`)
    }
  }
  expectSame('head', bytesToHex(chain.head.block.hash), test.lastblockhash)
}

async function begin(test: BlockchainTest, database: Database, network: number): Promise<Chain> {
  const { header, hash } = decodeBlock(hexToBytes(test.genesisRLP))
  const chainId = 1n
  const hardfork = hardforkOf(test.network)
  const schedule = createForkSchedule([{ hardfork, from: { block: 0n } }], { chainId })
  const genesis = { header, accounts: accountsOf(test.pre) }
  const chain = await openTestChain({ database, network, chainId, schedule, genesis })
  expectSame('genesis', bytesToHex(chain.head.block.hash), bytesToHex(hash))
  return chain
}

/** @returns why the block was refused, or undefined if it was not */
async function importBlock(chain: Chain, bytes: Uint8Array): Promise<string | undefined> {
  try {
    const block = decodeBlock(bytes)
    await chain.exclusively(() => chain.importBlock(block))
    return undefined
  } catch (error) {
    if (error instanceof ImportError) return error.message
    throw error
  }
}
