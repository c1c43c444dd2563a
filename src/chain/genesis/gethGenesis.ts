import { createForkSchedule, type ForkSchedule } from '../execution/forkSchedule.js'
import { hardforks, type Hardfork } from '../execution/hardforks.js'
import type { Genesis } from '../genesis.js'
import { readAccounts } from './accounts.js'
import { Fields, GenesisError } from './fields.js'
import { readForks } from './forks.js'
import { readHeader } from './header.js'

/** A chain as its genesis file describes it. */
export interface ChainDescription {
  chainId: bigint
  schedule: ForkSchedule
  genesis: Genesis
}

/** The member of `config` that geth does not know: what own chains do otherwise than the main network. */
export const OWN_CONFIG = 'standin'

/**
 * Reads a genesis.json of geth (core/genesis.go, params/config.go).
 *
 * @throws GenesisError that names the value which does not fit by its path.
 */
export function parseGethGenesis(text: string): ChainDescription {
  const file = new Fields(parseJson(text))
  if (!file.has('config')) file.refuse('config', 'is missing')
  const config = file.object('config')
  const chainId = config.number('chainId')
  if (chainId === 0n) config.refuse('chainId', 'is zero')
  const schedule = config.has(OWN_CONFIG) ? ownSchedule(config, chainId) : gethSchedule(config, chainId)
  return { chainId, schedule, genesis: { header: readHeader(file, schedule), accounts: readAccounts(file) } }
}

function gethSchedule(config: Fields, chainId: bigint): ForkSchedule {
  if (config.has('clique') && config.optionalNumber('terminalTotalDifficulty', 256) !== 0n) {
    config.refuse('clique', 'proof of authority is not supported')
  }
  const depositContract = config.bytes('depositContractAddress', 20)
  return createForkSchedule(readForks(config), {
    chainId,
    proofOfWork: true,
    transactionGasLimitCap: true,
    ...(depositContract && { depositContract }),
  })
}

/** An own chain has one fork from its first block on, whatever that would need on the main network. */
function ownSchedule(config: Fields, chainId: bigint): ForkSchedule {
  const own = config.object(OWN_CONFIG)
  const name = own.text('hardfork')
  const hardfork: Hardfork | undefined = hardforks.find((known) => known === name)
  if (hardfork === undefined) return own.refuse('hardfork', `is no fork: ${JSON.stringify(name)}`)
  const transactionGasLimitCap = own.boolean('transactionGasLimitCap') ?? false
  return createForkSchedule([{ hardfork, from: { block: 0n } }], { chainId, transactionGasLimitCap })
}

/**
 * Numbers that JavaScript cannot hold exactly, as terminal total difficulties are, become texts first. No text of a
 * genesis file has such digits between a colon and a comma.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replaceAll(/(:\s*)(\d{16,})(?=\s*[,}])/g, '$1"$2"'))
  } catch (error) {
    throw new GenesisError(
      'the file',
      `is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
