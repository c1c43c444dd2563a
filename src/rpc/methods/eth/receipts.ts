import type { StoredBlock } from '../../../chain/block/record.js'
import { quantity } from '../../../encoding/hex.js'
import { TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { blobBaseFeeAt } from '../../fees/blockFees.js'
import { receiptsOf } from '../../format/block.js'
import { type Call, defineMethod, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { hash } from '../../params/bytes.js'
import { WireBytes, type WirePiece, wireArray } from '../../wire.js'
import { findBlock, isPending, isPendingInAnvil } from '../findBlock.js'

/** eth_getTransactionReceipt: returns the receipt of a mined transaction. */
export const getTransactionReceipt = defineMethod(
  'eth_getTransactionReceipt',
  [required('hash', hash)],
  (call, transactionHash) => {
    const location = call.view.transactionLocation(transactionHash)
    return location === undefined ? null : new WireBytes([receiptWire(call, location.block, location.index)])
  },
)

/** eth_getBlockReceipts: returns all receipts of a block; those of the pending block are as if it were mined now. */
export const getBlockReceipts = defineMethod(
  'eth_getBlockReceipts',
  [required('block', blockSelector)],
  async (call, selector) => {
    const { view, backend, context } = call
    if (isPendingInAnvil(call, selector)) return null
    if (isPending(selector)) {
      const { block } = await view.pendingBlock()
      return new WireBytes(['[', await runInSlices(receiptsOf(block), new TimeSlice()), ']'])
    }
    const block = findBlock(view, selector)
    if (block === undefined) return null
    const wire = view.wire(block)
    await context.memory?.hold(wire.receiptsLength())
    if (backend.settings.compatibility.receiptsIncludeBlockFields) {
      return wireArray(block.transactions.map((_, index) => receiptWire(call, block, index)))
    }
    return new WireBytes(['[', wire.receipts(), ']'])
  },
)

const BLOB_PRICE = '"blobGasPrice":'

/**
 * Returns a transaction's receipt in wire form; in anvil with the block time (seconds, a JSON number) and the blob gas
 * price, in hardhat without the address of a failed creation.
 */
export function receiptWire(
  { view, backend }: Pick<Call, 'view' | 'backend'>,
  block: StoredBlock,
  index: number,
): WirePiece {
  const wire = view.wire(block).receipt(index)
  const { receiptsIncludeBlockFields, failedCreationsLackAddress } = backend.settings.compatibility
  if (!receiptsIncludeBlockFields && !failedCreationsLackAddress) return wire
  const text = Buffer.from(wire.buffer, wire.byteOffset, wire.length).toString('latin1')
  if (failedCreationsLackAddress) {
    return text.includes('"status":"0x0"')
      ? text.replace(/"contractAddress":"\w+"/, '"contractAddress":null')
      : wire
  }
  const blobPrice = text.includes(BLOB_PRICE) ? undefined : blobBaseFeeAt(view, block.header)
  const price = blobPrice === undefined ? '' : `${BLOB_PRICE}"${quantity(blobPrice)}",`
  return `{${price}"blockTimestamp":${block.header.timestamp},${text.slice(1)}`
}
