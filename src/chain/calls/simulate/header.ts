import { nextBaseFee, nextExcessBlobGas } from '../../block/fees.js'
import { EMPTY_TRIE_ROOT } from '../../block/orderedRoot.js'
import { EMPTY_UNCLES_HASH, type DraftParent } from '../../mining/draft.js'
import type { ForkRules, HeaderFields } from '../../types.js'
import type { PlacedBlock } from './sequence.js'

/**
 * The header of a simulated block before anything is executed in it: beneficiary and gas limit come from the parent,
 * and the base fee is zero unless it is given or checked (geth: internal/ethapi/simulate.go, makeHeaders).
 */
export function draftSimulatedHeader(
  parent: DraftParent,
  { overrides, number, timestamp }: PlacedBlock,
  rules: ForkRules,
  { difficulty, validation }: { difficulty: bigint; validation: boolean },
): HeaderFields {
  const header: HeaderFields = {
    parentHash: parent.hash,
    uncleHash: EMPTY_UNCLES_HASH,
    coinbase: overrides.feeRecipient ?? parent.header.coinbase,
    stateRoot: new Uint8Array(32),
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty,
    number,
    gasLimit: overrides.gasLimit ?? parent.header.gasLimit,
    gasUsed: 0n,
    timestamp,
    extraData: new Uint8Array(0),
    mixHash: overrides.prevRandao ?? new Uint8Array(32),
    nonce: new Uint8Array(8),
  }
  // An override holds before London too.
  if (overrides.baseFeePerGas !== undefined) header.baseFeePerGas = overrides.baseFeePerGas
  else if (rules.isActivatedEIP(1559)) {
    header.baseFeePerGas = validation ? (nextBaseFee(parent.header, rules) ?? 0n) : 0n
  }
  if (rules.isActivatedEIP(4895)) header.withdrawalsRoot = EMPTY_TRIE_ROOT
  const excessBlobGas = nextExcessBlobGas(parent.header, rules)
  if (excessBlobGas !== undefined) {
    header.blobGasUsed = 0n
    header.excessBlobGas = excessBlobGas
  }
  if (rules.isActivatedEIP(4788)) {
    header.parentBeaconBlockRoot = overrides.beaconRoot ?? new Uint8Array(32)
  }
  return header
}
