import type { StoredBlock } from '../../chain/block/record.js'
import type { BlockSelector, ChainView } from '../../chain/view.js'
import type { PendingFields } from '../compatibility.js'
import { HeaderNotFoundError } from '../../chain/errors.js'
import { ResourceNotFoundError, ServerError } from '../errors.js'
import type { Call } from '../method.js'

/** The block that is meant where none is named. */
export const latestBlock: BlockSelector = { tag: 'latest' }

/**
 * The stored block that a selector names, or undefined.
 *
 * @throws ServerError if it asks for a safe or finalized block and there is none yet (geth: eth/api_backend.go).
 * @throws NotCanonicalError if a canonical block was asked for and the hash names another one.
 */
export function findBlock(view: ChainView, selector: BlockSelector): StoredBlock | undefined {
  const block = view.resolve(selector)
  if (block === undefined && 'tag' in selector) throw new ServerError(`${selector.tag} block not found`)
  return block
}

/**
 * The answer of a method that has no block to tell about.
 *
 * @throws ResourceNotFoundError where the node stands in for anvil
 */
export function noBlock({ backend }: Pick<Call, 'backend'>): null {
  if (backend.settings.compatibility.missing === 'anvil') throw new ResourceNotFoundError()
  return null
}

/**
 * The same for a number beyond the head.
 *
 * @throws HeaderNotFoundError where the node stands in for anvil
 */
export function noBlockOfNumber(
  { view, backend }: Pick<Call, 'view' | 'backend'>,
  selector: BlockSelector,
): null {
  if (backend.settings.compatibility.missing === 'anvil' && 'number' in selector) {
    throw new HeaderNotFoundError(selector.number, view.head().header.number)
  }
  return null
}

/** Whether a selector asks for the pending block. */
export function isPending(selector: BlockSelector): boolean {
  return 'tag' in selector && selector.tag === 'pending'
}

/**
 * Which members of the pending block are null: as it was set or as the node that is stood in for has it, and else by the
 * path. On `/v3/KEY` those of the provider's documentation; on the plain path geth's, because go-ethereum, alloy, cast,
 * ethers and web3j cannot read a block without hash and number.
 */
export function pendingFieldsOf({ backend, context }: Pick<Call, 'backend' | 'context'>): PendingFields {
  return backend.settings.pendingFields ?? (context.isPlainPath === true ? 'geth' : 'spec')
}
