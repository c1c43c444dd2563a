import type { StoredBlock, TransactionLocation } from '../../chain/block/record.js'
import type { ChainView } from '../../chain/view.js'
import { bytesEqual, latin1 } from '../../encoding/hex.js'
import { textMember } from '../format/pieces.js'

/**
 * Locates a sender's canonical transaction with a nonce. A binary search finds its block, the first one after which the
 * sender's nonce is higher.
 */
export async function findBySenderAndNonce(
  view: ChainView,
  sender: Uint8Array,
  nonce: bigint,
): Promise<TransactionLocation | undefined> {
  const nonceAfter = async (number: bigint): Promise<bigint> => {
    const { state } = await view.stateAt({ number })
    return (await state.getAccount(sender))?.nonce ?? 0n
  }
  let low = view.resolve({ tag: 'earliest' })?.header.number ?? 0n
  let high = view.head().header.number
  if ((await nonceAfter(high)) <= nonce) return undefined
  while (low < high) {
    const middle = (low + high) / 2n
    if ((await nonceAfter(middle)) > nonce) high = middle
    else low = middle + 1n
  }
  const block = view.blockByNumber(low)
  if (block === undefined) return undefined
  const index = indexInBlock(view, block, sender, nonce)
  return index === undefined ? undefined : { block, index }
}

/** Finds the transaction's index in its block by binary search, as a sender's nonces ascend. */
function indexInBlock(
  view: ChainView,
  block: StoredBlock,
  sender: Uint8Array,
  nonce: bigint,
): number | undefined {
  const sent: number[] = []
  block.transactions.forEach((entry, index) => {
    if (bytesEqual(entry.sender, sender)) sent.push(index)
  })
  let [low, high] = [0, sent.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const index = sent[middle]!
    const found = nonceOf(view.wire(block).transaction(index))
    if (found === nonce) return index
    if (found < nonce) low = middle + 1
    else high = middle - 1
  }
  return undefined
}

function nonceOf(transaction: Uint8Array): bigint {
  // Takes the first member with this name; those of authorizations come later.
  const member = textMember(transaction, 'nonce')
  if (member === undefined) throw new Error('the transaction has no nonce')
  return BigInt(latin1(transaction, member.start, member.end))
}
