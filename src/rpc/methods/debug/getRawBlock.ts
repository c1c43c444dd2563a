import { bytesToHex } from '../../../encoding/hex.js'
import { blockSelector } from '../../params/blockSelector.js'
import { blockOrRefusal } from '../rawBlock.js'
import { defineMethod, required } from '../../method.js'

/** debug_getRawBlock: the RLP of a block. */
export const getRawBlock = defineMethod(
  'debug_getRawBlock',
  [required('block', blockSelector)],
  ({ view, backend }, selector) => {
    const block = blockOrRefusal(view, selector, 'block')
    return block === undefined ? '0x' : bytesToHex(backend.records.rawBlock(block))
  },
)
