import { HashNotFoundError, HeaderNotFoundError, TagNotFoundError, type ChainError } from './errors.js'
import type { StoredBlock } from './block/record.js'
import type { BlockSelector } from './view.js'

/** What a state read is refused with whose selector names no block of a chain with this head. */
export function notFound(selector: BlockSelector, head: StoredBlock): ChainError {
  if ('hash' in selector) return new HashNotFoundError()
  if ('tag' in selector) return new TagNotFoundError(selector.tag)
  return new HeaderNotFoundError(selector.number, head.header.number)
}
