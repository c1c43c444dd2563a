import type { TransactionLocation } from '../../chain/block/record.js'
import type { ChainView } from '../../chain/view.js'
import { bytesEqual } from '../../encoding/hex.js'
import { quantity } from '../../encoding/quantity.js'

/**
 * Where the canonical transaction of a sender with a nonce is. The block is found by halving: it is the first after
 * which the sender's nonce is higher.
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
  const member = `"nonce":"${quantity(nonce)}"`
  const index = block.transactions.findIndex(
    (entry, at) =>
      bytesEqual(entry.sender, sender) && Buffer.from(view.transactionWire(block, at)).includes(member),
  )
  return index < 0 ? undefined : { block, index }
}
