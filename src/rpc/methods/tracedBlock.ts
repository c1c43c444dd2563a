import type { StoredBlock } from '../../chain/block/record.js'
import type { BlockSelector, ChainView } from '../../chain/view.js'
import { bytesToHex } from '../../encoding/hex.js'
import { ServerError } from '../errors.js'
import { findBlock, isPending } from './findBlock.js'

/**
 * The block that a trace is asked for.
 *
 * @throws ServerError if there is none, in geth's words (eth/tracers/api.go), and for the pending block.
 */
export function tracedBlock(view: ChainView, selector: BlockSelector): StoredBlock {
  if (isPending(selector)) throw new ServerError('tracing on top of pending is not supported')
  const block = findBlock(view, selector)
  if (block !== undefined) return block
  const name =
    'hash' in selector ? bytesToHex(selector.hash) : `#${'number' in selector ? selector.number : 0n}`
  throw new ServerError(`block ${name} not found`)
}
