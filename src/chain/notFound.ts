import { HashNotFoundError, HeaderNotFoundError, TagNotFoundError, type ChainError } from './errors.js'
import type { BlockSelector } from './view.js'

/** What a state read is refused with whose selector names no block. */
export function notFound(selector: BlockSelector): ChainError {
  if ('hash' in selector) return new HashNotFoundError()
  return 'tag' in selector ? new TagNotFoundError(selector.tag) : new HeaderNotFoundError()
}
