import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod, required } from '../../method.js'
import { data } from '../../params/data.js'
import { list } from '../../params/list.js'

/**
 * standin_importBlocks: executes and checks blocks that were made elsewhere, given as RLP, parents first, and makes the
 * last one the head; if it stands on another branch that is a reorganisation. The hash of the head.
 */
export const importBlocks = defineMethod(
  'standin_importBlocks',
  [required('blocks', list(data, '[]hexutil.Bytes'))],
  async ({ view, backend }, blocks) => {
    await backend.controls.importBlocks(blocks)
    return bytesToHex(view.head().hash)
  },
)
