import { encodeHeader } from '../../../chain/block/header.js'
import { bytesToHex } from '../../../encoding/hex.js'
import { blockSelector } from '../../params/blockSelector.js'
import { blockOrRefusal } from '../rawBlock.js'
import { defineMethod, required } from '../../method.js'

/** debug_getRawHeader: the RLP of a header. */
export const getRawHeader = defineMethod(
  'debug_getRawHeader',
  [required('block', blockSelector)],
  ({ view }, selector) => {
    const block = blockOrRefusal(view, selector, 'header')
    return block === undefined ? '0x' : bytesToHex(encodeHeader(block.header))
  },
)
