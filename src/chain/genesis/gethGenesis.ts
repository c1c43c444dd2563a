import { errorText } from '../../encoding/errorText.js'
import { bigintToBytes } from '../../encoding/hex.js'
import {
  type ForkActivation,
  type ForkSchedule,
  type Hardfork,
  createForkSchedule,
  hardforks,
} from '../evm/forkSchedule.js'
import { INITIAL_BASE_FEE, EMPTY_UNCLES_HASH } from '../block/header.js'
import { EMPTY_TRIE_ROOT } from '../state/nodeRecord.js'
import type { HeaderFields } from '../types.js'
import { hashRequests } from '../vm/systemCalls.js'
import { Fields, GenesisError, bytesOf } from './fields.js'
import { readForks } from './forks.js'
import type { Genesis, GenesisAccount } from './ownGenesis.js'

/** A chain as described by its genesis file. */
export interface ChainDescription {
  chainId: bigint
  schedule: ForkSchedule
  genesis: Genesis
}

/** Member of `config` that geth does not know, for chains made here that differ from mainnet. */
export const OWN_CONFIG = 'standin'

/**
 * Parses a genesis.json of geth (core/genesis.go, params/config.go).
 *
 * @throws GenesisError that names the invalid value by its path
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
  const depositContract = config.bytes('depositContractAddress', 20) ?? new Uint8Array(20)
  return createForkSchedule(readForks(config), {
    chainId,
    proofOfWork: true,
    transactionGasLimitCap: true,
    depositContract,
  })
}

/**
 * Creates the schedule of a chain made here: one fork from the first block on, regardless of mainnet's prerequisites.
 */
function ownSchedule(config: Fields, chainId: bigint): ForkSchedule {
  const own = config.object(OWN_CONFIG)
  const name = own.text('hardfork')
  const hardfork: Hardfork | undefined = hardforks.find((known) => known === name)
  if (hardfork === undefined) return own.refuse('hardfork', `is not a fork: ${JSON.stringify(name)}`)
  const transactionGasLimitCap = own.boolean('transactionGasLimitCap') ?? false
  return createForkSchedule([{ hardfork, from: { block: 0n } }], { chainId, transactionGasLimitCap })
}

/**
 * Parses JSON, turning numbers that JavaScript cannot hold exactly, such as terminal total difficulties, into strings
 * first. No string in a genesis file has such digits between a colon and a comma.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replaceAll(/(:\s*)(\d{16,})(?=\s*[,}])/g, '$1"$2"'))
  } catch (error) {
    throw new GenesisError('the file', `is not JSON: ${errorText(error)}`)
  }
}

/**
 * Reads the accounts of a genesis from its `alloc`, by address with or without 0x.
 *
 * @throws GenesisError
 */
export function readAccounts(file: Fields): GenesisAccount[] {
  if (!file.has('alloc')) file.refuse('alloc', 'is missing')
  const alloc = file.object('alloc')
  return alloc.names().map((name) => {
    const account = alloc.object(name)
    return {
      address: bytesOf(name, alloc.path(name), 20),
      balance: account.number('balance', 256),
      nonce: account.optionalNumber('nonce') ?? 0n,
      code: account.bytes('code') ?? new Uint8Array(0),
      storage: readStorage(account.object('storage')),
    }
  })
}

/** Reads storage. Slots and values may be short; they are left-padded with zeros (geth: core/types/account.go). */
function readStorage(storage: Fields): GenesisAccount['storage'] {
  return storage.names().map((name) => {
    const path = storage.path(name)
    const value = storage.text(name) ?? ''
    return [wordOf(name, path), wordOf(value, path)] as const
  })
}

function wordOf(text: string, path: string): Uint8Array {
  const digits = text.replace(/^0x/i, '')
  if (digits.length > 64 || !/^[0-9a-f]*$/i.test(digits)) {
    throw new GenesisError(path, `expected at most 32 bytes in hexadecimal, got ${JSON.stringify(text)}`)
  }
  return bigintToBytes(BigInt(`0x0${digits}`), 32)
}

function includesFork(activations: readonly ForkActivation[], wanted: Hardfork): boolean {
  return activations.some(({ hardfork }) => hardforks.indexOf(hardfork) >= hardforks.indexOf(wanted))
}

/**
 * Reads the header of the genesis block, without its state root (geth: core/genesis.go, toBlockWithRoot).
 *
 * @throws GenesisError
 */
function readHeader(file: Fields, { activations }: Pick<ForkSchedule, 'activations'>): HeaderFields {
  const number = file.optionalNumber('number') ?? 0n
  const timestamp = file.optionalNumber('timestamp') ?? 0n
  const header: HeaderFields = {
    parentHash: file.bytes('parentHash', 32) ?? new Uint8Array(32),
    uncleHash: EMPTY_UNCLES_HASH,
    coinbase: file.bytes('coinbase', 20) ?? new Uint8Array(20),
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: file.number('difficulty', 256),
    number,
    gasLimit: file.number('gasLimit'),
    gasUsed: file.optionalNumber('gasUsed') ?? 0n,
    timestamp,
    extraData: file.bytes('extraData') ?? new Uint8Array(0),
    mixHash: file.bytes('mixHash', 32) ?? new Uint8Array(32),
    nonce: bigintToBytes(file.optionalNumber('nonce') ?? 0n, 8),
  }
  // The merge itself does not matter: forks add header fields to the genesis by block, and by time once London is active.
  const byBlock = activations.filter(({ from }) => 'block' in from && from.block <= number)
  const byTime = activations.filter(({ from }) => 'timestamp' in from && from.timestamp <= timestamp)
  const inForce = includesFork(byBlock, 'london') ? [...byBlock, ...byTime] : byBlock
  const has = (hardfork: Hardfork): boolean => includesFork(inForce, hardfork)
  if (has('london')) header.baseFeePerGas = file.optionalNumber('baseFeePerGas', 256) ?? INITIAL_BASE_FEE
  if (has('shanghai')) header.withdrawalsRoot = EMPTY_TRIE_ROOT
  if (has('cancun')) {
    header.blobGasUsed = file.optionalNumber('blobGasUsed') ?? 0n
    header.excessBlobGas = file.optionalNumber('excessBlobGas') ?? 0n
    header.parentBeaconBlockRoot = new Uint8Array(32)
  }
  if (has('prague')) header.requestsHash = hashRequests([])
  return header
}
