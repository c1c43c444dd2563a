import { blockSelector } from '../../params/blockSelector.js'
import { ServerError } from '../../errors.js'
import { wireArray, WireBytes } from '../../wire.js'
import { findBlock, isPending } from '../findBlock.js'
import { receiptWire } from '../receiptWire.js'
import { defineMethod, required } from '../../method.js'

/** eth_getBlockReceipts: all receipts of a block. */
export const getBlockReceipts = defineMethod(
  'eth_getBlockReceipts',
  [required('block', blockSelector)],
  (call, selector) => {
    const { view, backend } = call
    if (isPending(selector)) throw new ServerError('pending receipts is not available')
    const block = findBlock(view, selector)
    if (block === undefined) return null
    if (backend.settings.compatibility.receiptsIncludeBlockFields) {
      return wireArray(block.transactions.map((_, index) => receiptWire(call, block, index)))
    }
    return new WireBytes(['[', view.receiptsWire(block), ']'])
  },
)
