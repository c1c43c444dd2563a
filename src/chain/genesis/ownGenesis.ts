import { EMPTY_TRIE_ROOT } from '../state/nodeRecord.js'
import { EMPTY_UNCLES_HASH } from '../block/header.js'
import { type BlockRandomness, hardhatGenesisPrevRandao } from '../mining/randomness.js'
import { hashRequests } from '../vm/systemCalls.js'
import { create2Proxy, systemContracts } from './systemContracts.js'
import type { ForkRules, HeaderFields } from '../types.js'

/** Default base fee of block 0, in wei per gas. */
export const DEFAULT_BASE_FEE = 1_000_000_000n

/** EIP-7685: hash of an empty request list. */
const EMPTY_REQUESTS_HASH: Uint8Array = hashRequests([])

/** An account of the genesis. */
export interface GenesisAccount {
  /** 20 bytes. */
  address: Uint8Array
  /** Wei. */
  balance: bigint
  nonce: bigint
  code: Uint8Array
  /** Pairs of 32-byte slot and 32-byte value. */
  storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

/** The first block of a chain, without its state root. */
export interface Genesis {
  header: HeaderFields
  accounts: readonly GenesisAccount[]
}

/** Options for the first block of a chain made here. */
export interface OwnGenesisOptions {
  rules: ForkRules
  /** Seconds. */
  timestamp: bigint
  gasLimit: bigint
  /** Wei per gas; ignored before London. */
  baseFee: bigint
  number: bigint
  /** 20 bytes each. */
  funded: readonly Uint8Array[]
  /** Balance of each funded account, in wei. */
  balance: bigint
  /** Source of the randomness of blocks; the parent by default. */
  randomness?: BlockRandomness
  /** Whether to deploy the CREATE2 proxy. */
  create2Proxy: boolean
}

/**
 * Builds the genesis of a chain made here: funded accounts, the CREATE2 proxy, and the system contracts of the fork.
 */
export function ownGenesis(options: OwnGenesisOptions): Genesis {
  const { rules, timestamp, gasLimit, baseFee, number, funded, balance, randomness } = options
  const header: HeaderFields = {
    parentHash: new Uint8Array(32),
    uncleHash: EMPTY_UNCLES_HASH,
    coinbase: new Uint8Array(20),
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number,
    gasLimit,
    gasUsed: 0n,
    timestamp,
    extraData: new Uint8Array(0),
    mixHash:
      randomness === 'hardhat' && rules.isActivatedEIP(4399) ? hardhatGenesisPrevRandao : new Uint8Array(32),
    nonce: new Uint8Array(8),
  }
  if (rules.isActivatedEIP(1559)) header.baseFeePerGas = baseFee
  if (rules.isActivatedEIP(4895)) header.withdrawalsRoot = EMPTY_TRIE_ROOT
  if (rules.isActivatedEIP(4844)) {
    header.blobGasUsed = 0n
    header.excessBlobGas = 0n
  }
  if (rules.isActivatedEIP(4788)) header.parentBeaconBlockRoot = new Uint8Array(32)
  if (rules.isActivatedEIP(7685)) header.requestsHash = EMPTY_REQUESTS_HASH
  const fundedAccounts = funded.map((address) => ({
    address,
    balance,
    nonce: 0n,
    code: new Uint8Array(0),
    storage: [],
  }))
  return { header, accounts: [...fundedAccounts, ...predeploys(options)] }
}

function predeploys({ rules, create2Proxy: withProxy }: OwnGenesisOptions): GenesisAccount[] {
  const contracts = withProxy ? [create2Proxy] : []
  if (rules.isActivatedEIP(4788)) contracts.push(systemContracts.beaconRoots)
  if (rules.isActivatedEIP(2935)) contracts.push(systemContracts.historyStorage)
  if (rules.isActivatedEIP(7002)) contracts.push(systemContracts.withdrawalRequests)
  if (rules.isActivatedEIP(7251)) contracts.push(systemContracts.consolidationRequests)
  return contracts.map((contract) => ({ ...contract, balance: 0n, storage: [] }))
}
