import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OWN_CONFIG } from '../../../src/chain/genesis/gethGenesis.js'
import { createNode, type NodeOptions } from '../../../src/index.js'
import { exportFiles } from '../../../src/node/exportFiles.js'
import { hasFork } from '../chains/transactions.js'

/**
 * Returns this node's genesis of a fork. Before Paris it gets a difficulty, which geth requires of proof-of-work
 * blocks.
 */
export async function genesisOf(fork: string, directory: string): Promise<string> {
  const dataDir = join(directory, 'own')
  const file = join(directory, 'own.json')
  const options = {
    dataDir,
    hardfork: fork,
    txGasLimit: true,
    deterministic: true,
    listen: false,
  } as NodeOptions
  await (await createNode(options)).stop()
  await exportFiles({
    dataDir,
    network: undefined,
    file: join(directory, 'none'),
    genesisFile: file,
    to: undefined,
  })
  const text = await readFile(file, 'utf8')
  if (hasFork(fork, 'paris')) return text
  const genesis = JSON.parse(text) as { config: Record<string, unknown> }
  const { [OWN_CONFIG]: _own, ...config } = genesis.config
  return JSON.stringify({ ...genesis, config, difficulty: '0x20000' })
}

/**
 * Adds an unreachable merge: geth refuses a genesis without one. The hash of the genesis block does not depend on it.
 */
export function withDistantMerge(genesis: string): string {
  if (genesis.includes('"terminalTotalDifficulty"')) return genesis
  return genesis.replace(/"config":\s*\{/, '$&"terminalTotalDifficulty":1000000000000000000000000,')
}
