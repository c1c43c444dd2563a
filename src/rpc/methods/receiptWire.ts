import type { StoredBlock } from '../../chain/block/record.js'
import { quantity } from '../../encoding/quantity.js'
import { blobBaseFeeAt } from '../fees/suggestTip.js'
import type { Call } from '../method.js'
import type { WirePiece } from '../wire.js'

const BLOB_PRICE = '"blobGasPrice":'

/**
 * The receipt of a transaction of a block in wire form; in anvil with the time of the block (seconds, a JSON number)
 * and the price of its blob gas.
 */
export function receiptWire(
  { view, backend }: Pick<Call, 'view' | 'backend'>,
  block: StoredBlock,
  index: number,
): WirePiece {
  const wire = view.receiptWire(block, index)
  if (!backend.settings.compatibility.receiptsIncludeBlockFields) return wire
  const text = Buffer.from(wire.buffer, wire.byteOffset, wire.length).toString('latin1')
  const blobPrice = text.includes(BLOB_PRICE) ? undefined : blobBaseFeeAt(view, block.header)
  const price = blobPrice === undefined ? '' : `${BLOB_PRICE}"${quantity(blobPrice)}",`
  return `{${price}"blockTimestamp":${block.header.timestamp},${text.slice(1)}`
}
