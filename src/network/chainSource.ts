import { readFile } from 'node:fs/promises'
import {
  DEFAULT_HARDFORK,
  type ForkActivation,
  type ForkSchedule,
  createSingleForkSchedule,
  parseHardfork,
} from '../chain/evm/forkSchedule.js'
import { GenesisError } from '../chain/genesis/fields.js'
import { type ChainDescription, parseGethGenesis } from '../chain/genesis/gethGenesis.js'
import { DEFAULT_BASE_FEE, type Genesis, ownGenesis } from '../chain/genesis/ownGenesis.js'
import type { NodeSettings } from '../options.js'
import { compatibilityProfile } from '../rpc/compatibility.js'
import type { NetworkIdentity } from '../storage/manifest.js'
import { errorText } from '../encoding/errorText.js'

/** A file given by the user cannot be used. */
export class ChainFileError extends Error {
  override readonly name = 'ChainFileError'
}

/** Definition of a chain: its rules, and its first block if it has none yet. */
export interface ChainSource {
  chainId: bigint
  schedule: ForkSchedule
  genesis: () => Genesis
  /** Whether the genesis comes from a file, which the data must match. */
  isGiven: boolean
}

/** Parameters of the node's own chain besides the settings. */
export interface OwnChain {
  chainId: bigint
  settings: NodeSettings
  /** Returns the time of the first block, in seconds, unless the settings fix it. */
  now: () => bigint
  /** 20 bytes each. */
  funded: readonly Uint8Array[]
}

/** Defines the node's own chain. */
export function ownChain({ chainId, settings, now, funded }: OwnChain): ChainSource {
  const hardfork = parseHardfork(settings.hardfork) ?? DEFAULT_HARDFORK
  const { appliesTransactionGasCap, blockRandomness } = compatibilityProfile(settings.compat)
  const transactionGasLimitCap = settings.txGasLimit || settings.mode === 'strict' || appliesTransactionGasCap
  const schedule = createSingleForkSchedule({ chainId, hardfork, transactionGasLimitCap })
  const genesis = (): Genesis =>
    ownGenesis({
      rules: schedule.rulesAt({ number: 0n, timestamp: 0n }),
      timestamp: settings.timestamp ?? now(),
      gasLimit: settings.gasLimit,
      baseFee: settings.baseFee ?? DEFAULT_BASE_FEE,
      number: settings.number,
      randomness: blockRandomness,
      create2Proxy: !settings.disableDefaultCreate2Deployer,
      funded,
      balance: etherToWei(settings.balance),
    })
  return { chainId, schedule, genesis, isGiven: false }
}

/**
 * Reads a chain definition from a genesis file.
 *
 * @throws ChainFileError if it cannot be read or is invalid
 */
export async function chainOfFile(path: string): Promise<ChainSource> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ChainFileError(`--genesis: ${errorText(error)}`)
  })
  const { chainId, schedule, genesis } = describe(path, text)
  return { chainId, schedule, genesis: () => genesis, isGiven: true }
}

function describe(path: string, text: string): ChainDescription {
  try {
    return parseGethGenesis(text)
  } catch (error) {
    if (error instanceof GenesisError) throw new ChainFileError(`${path}: ${error.message}`)
    throw error
  }
}

/** Returns a chain's identity for the manifest, without the hash of its first block. */
export function identityOf({ chainId, schedule }: ChainSource): Omit<NetworkIdentity, 'genesisHash'> {
  return { chainId: chainId.toString(), forks: schedule.activations.map(forkOf) }
}

function forkOf({ hardfork, from, blobSchedule }: ForkActivation): NetworkIdentity['forks'][number] {
  const fork = { fork: hardfork, ...startOf(from) }
  if (blobSchedule === undefined) return fork
  const { target, max, baseFeeUpdateFraction } = blobSchedule
  return { ...fork, blobs: `${target}/${max}/${baseFeeUpdateFraction}` }
}

function startOf(from: ForkActivation['from']): Omit<NetworkIdentity['forks'][number], 'fork'> {
  if ('block' in from) return { block: from.block.toString() }
  if ('timestamp' in from) return { timestamp: from.timestamp.toString() }
  return { totalDifficulty: from.totalDifficulty.toString() }
}

/** Converts ether to wei, rounding down. */
export function etherToWei(ether: number): bigint {
  // Uses the shortest decimal for the number, such as 1.5, 1e+21 or 1e-7.
  const [mantissa = '', exponent = '0'] = String(ether).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const shift = 18 + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  return shift < 0 ? digits / 10n ** BigInt(-shift) : digits * 10n ** BigInt(shift)
}
