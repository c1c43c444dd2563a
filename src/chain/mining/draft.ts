import { RLP } from '@ethereumjs/rlp'
import { EMPTY_BLOOM } from '../block/bloom.js'
import { nextBaseFee, nextExcessBlobGas } from '../block/fees.js'
import { EMPTY_TRIE_ROOT } from '../block/orderedRoot.js'
import { keccak256 } from '../keccak.js'
import type { RandomnessState } from './randomness.js'
import type { ForkRules, HeaderFields } from '../types.js'

/** The hash of an empty list of uncles. */
export const EMPTY_UNCLES_HASH: Uint8Array = keccak256(RLP.encode([]))

const ZERO_HASH = new Uint8Array(32)
const ZERO_NONCE = new Uint8Array(8)

/** What the next blocks get from the operator rather than from their parent. */
export interface BlockSettings {
  gasLimit: bigint
  /** 20 bytes. */
  coinbase: Uint8Array
  extraData: Uint8Array
  /** The most transactions of one block; no limit if undefined. */
  maximumTransactions?: number | undefined
  /** What the gas of a block's transactions adds up to at most, where that is not the block's gas limit. */
  maximumGas?: bigint | undefined
  /** Wei per gas; holds for one block. */
  nextBaseFee?: bigint
  /** 32 bytes; holds for one block. */
  nextPrevRandao?: Uint8Array
  /** What blocks take their prevRandao and parent beacon block root from; their parent's hash and zeros if absent. */
  randomness?: RandomnessState
}

/** What a draft stands on. */
export interface DraftParent {
  hash: Uint8Array
  header: HeaderFields
}

/**
 * The header of the block after `parent`, before anything is executed in it: gas used is zero and the roots are those
 * of an empty block.
 *
 * prevRandao follows from the parent or a generator, so that the same chain comes out of the same inputs.
 */
export function draftHeader(
  parent: DraftParent,
  rules: ForkRules,
  timestamp: bigint,
  settings: BlockSettings,
): HeaderFields {
  const isLondon = rules.isActivatedEIP(1559)
  const excessBlobGas = nextExcessBlobGas(parent.header, rules)
  return {
    parentHash: parent.hash,
    uncleHash: EMPTY_UNCLES_HASH,
    coinbase: settings.coinbase,
    stateRoot: ZERO_HASH,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: EMPTY_BLOOM,
    difficulty: 0n,
    number: parent.header.number + 1n,
    gasLimit: settings.gasLimit,
    gasUsed: 0n,
    timestamp,
    extraData: settings.extraData,
    mixHash: rules.isActivatedEIP(4399)
      ? (settings.nextPrevRandao ?? settings.randomness?.prevRandao ?? keccak256(parent.hash))
      : ZERO_HASH,
    nonce: ZERO_NONCE,
    baseFeePerGas: isLondon ? (settings.nextBaseFee ?? nextBaseFee(parent.header, rules)) : undefined,
    withdrawalsRoot: rules.isActivatedEIP(4895) ? EMPTY_TRIE_ROOT : undefined,
    blobGasUsed: excessBlobGas === undefined ? undefined : 0n,
    excessBlobGas,
    parentBeaconBlockRoot: rules.isActivatedEIP(4788)
      ? (settings.randomness?.parentBeaconBlockRoot ?? ZERO_HASH)
      : undefined,
    requestsHash: undefined,
  }
}
