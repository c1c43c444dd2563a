import { blockSelector } from '../../params/blockSelector.js'
import { ServerError } from '../../errors.js'
import { WireBytes } from '../../wire.js'
import { findBlock, isPending } from '../findBlock.js'
import { defineMethod, required } from '../../method.js'

/** eth_getBlockReceipts: all receipts of a block. */
export const getBlockReceipts = defineMethod(
  'eth_getBlockReceipts',
  [required('block', blockSelector)],
  ({ view }, selector) => {
    if (isPending(selector)) throw new ServerError('pending receipts is not available')
    const block = findBlock(view, selector)
    return block === undefined ? null : new WireBytes(['[', view.receiptsWire(block), ']'])
  },
)
