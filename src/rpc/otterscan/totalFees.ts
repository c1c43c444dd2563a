import { latin1 } from '../../encoding/bytes.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { textMember, type TextSpan } from '../format/textMember.js'

/**
 * What the transactions of a block paid for gas altogether, in wei.
 *
 * @param receipts - the wire bytes of all of them, one behind the other
 */
export function* totalFees(receipts: Uint8Array): Steps<bigint> {
  const numberAt = ({ start, end }: TextSpan): bigint => BigInt(latin1(receipts, start, end))
  let sum = 0n
  let price = textMember(receipts, 'effectiveGasPrice')
  while (price !== undefined) {
    const gasUsed = textMember(receipts, 'gasUsed', price.end)
    if (gasUsed === undefined) throw new Error('a receipt says how much gas was used')
    sum += numberAt(price) * numberAt(gasUsed)
    price = textMember(receipts, 'effectiveGasPrice', gasUsed.end)
    yield
  }
  return sum
}
