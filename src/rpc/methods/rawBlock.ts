import type { StoredBlock } from '../../chain/block/record.js'
import type { BlockSelector, ChainView } from '../../chain/view.js'
import { ServerError } from '../errors.js'
import { findBlock } from './findBlock.js'

/**
 * The block that a debug method is asked for, or undefined beyond the head.
 *
 * @throws ServerError if a hash names no block: geth prints it as a list of decimal bytes (eth/api_debug.go).
 */
export function blockOrRefusal(
  view: ChainView,
  selector: BlockSelector,
  what: 'block' | 'header',
): StoredBlock | undefined {
  const block = findBlock(view, selector)
  if (block === undefined && 'hash' in selector) {
    throw new ServerError(`${what} #[${selector.hash.join(' ')}] not found`)
  }
  return block
}
