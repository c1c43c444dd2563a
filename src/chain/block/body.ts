import type { TypedTransaction } from '@ethereumjs/tx'
import { minimalBytes } from '../../encoding/quantity.js'
import type { HeaderFields, Withdrawal } from '../types.js'
import { EncodedItem, encodeRlp, type RlpInput } from '../rlp.js'
import { encodeHeader, headerToList } from './header.js'
import { orderedRoot } from './orderedRoot.js'
import type { SealedBlock } from './record.js'
import { serializedTransaction } from './serialized.js'

/** A withdrawal as the list that its RLP encodes (EIP-4895). */
export function withdrawalToList(withdrawal: Withdrawal): Uint8Array[] {
  return [
    minimalBytes(withdrawal.index),
    minimalBytes(withdrawal.validatorIndex),
    withdrawal.address,
    minimalBytes(withdrawal.amount),
  ]
}

/** The parts that make up the RLP of a block. */
export interface BlockParts {
  header: HeaderFields
  transactions: readonly TypedTransaction[]
  uncles: readonly HeaderFields[]
  withdrawals?: readonly Withdrawal[]
}

/**
 * The RLP of a block as it travels between nodes and in chain files; typed transactions are byte strings in it.
 *
 * @param header the RLP of the header, where it is known
 */
export function encodeBlock(parts: BlockParts, header = encodeHeader(parts.header)): Uint8Array {
  const transactions = parts.transactions.map((transaction) => {
    const bytes = serializedTransaction(transaction)
    return transaction.type === 0 ? new EncodedItem(bytes) : bytes
  })
  const list: RlpInput[] = [new EncodedItem(header), transactions, parts.uncles.map(headerToList)]
  if (parts.withdrawals !== undefined) list.push(parts.withdrawals.map(withdrawalToList))
  return encodeRlp(list)
}

/** The RLP of a sealed block. */
export function encodeSealedBlock({ transactions, ...rest }: Omit<SealedBlock, 'hash' | 'size'>): Uint8Array {
  return encodeBlock({ ...rest, transactions: transactions.map(({ transaction }) => transaction) })
}

/** The root that a header carries of its withdrawals. */
export function withdrawalsRoot(withdrawals: readonly Withdrawal[]): Uint8Array {
  return orderedRoot(withdrawals.map((withdrawal) => encodeRlp(withdrawalToList(withdrawal))))
}
