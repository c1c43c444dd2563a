import type { StoredBlock } from '../../chain/block/record.js'
import type { BlockSelector, ChainView } from '../../chain/view.js'
import { bytesToHex } from '../../encoding/hex.js'
import type { PendingFields } from '../compatibility.js'
import { HeaderNotFoundError } from '../../chain/errors.js'
import { ResourceNotFoundError, ServerError } from '../errors.js'
import type { Call } from '../method.js'

/** Default block of methods. */
export const latestBlock = { tag: 'latest' } as const satisfies BlockSelector

/**
 * Returns the stored block that a selector refers to, or undefined.
 *
 * @throws ServerError if there is no safe or finalized block yet (geth: eth/api_backend.go)
 * @throws NotCanonicalError if a canonical block is required and the hash is not one's
 */
export function findBlock(view: ChainView, selector: BlockSelector): StoredBlock | undefined {
  const block = view.resolve(selector)
  if (block === undefined && 'tag' in selector) throw new ServerError(`${selector.tag} block not found`)
  return block
}

/**
 * Returns the answer of a method whose block does not exist.
 *
 * @throws ResourceNotFoundError in anvil's compatibility
 */
export function noBlock({ backend }: Pick<Call, 'backend'>): null {
  if (backend.settings.compatibility.missing === 'anvil') throw new ResourceNotFoundError()
  return null
}

/**
 * Returns the answer of a method whose block may be a number beyond the head.
 *
 * @throws HeaderNotFoundError for a number in anvil's compatibility
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

/** Whether a selector refers to the pending block. */
export function isPending(selector: BlockSelector): boolean {
  return 'tag' in selector && selector.tag === 'pending'
}

/** Whether a selector refers to the pending block and the emulated node is anvil, which often does not find it. */
export function isPendingInAnvil({ backend }: Pick<Call, 'backend'>, selector: BlockSelector): boolean {
  return backend.settings.compatibility.missing === 'anvil' && isPending(selector)
}

/**
 * Returns which members of the pending block are null: as configured or in the emulated node, otherwise by path. On
 * `/v3/KEY` they are those of the provider's documentation; on the plain path geth's, because go-ethereum, alloy, cast,
 * ethers and web3j cannot parse a block without hash and number.
 */
export function pendingFieldsOf({ backend, context }: Pick<Call, 'backend' | 'context'>): PendingFields {
  return backend.settings.pendingFields ?? (context.isPlainPath === true ? 'geth' : 'spec')
}

/** Prints a selector like Go prints its struct (rpc/types.go, BlockNumberOrHash). */
export function printedSelector(selector: BlockSelector): string {
  if ('hash' in selector) return `{<nil> ${bytesToHex(selector.hash)} ${selector.requireCanonical}}`
  return `{${'number' in selector ? `0x${selector.number.toString(16)}` : selector.tag} <nil> false}`
}
