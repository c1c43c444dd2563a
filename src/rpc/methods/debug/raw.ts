import { encodeHeader } from '../../../chain/block/header.js'
import type { StoredBlock } from '../../../chain/block/record.js'
import type { BlockSelector } from '../../../chain/view.js'
import { bytesToHex } from '../../../encoding/hex.js'
import { ServerError } from '../../errors.js'
import { bytesWire, jsonBytes, writtenTexts } from '../../format/pieces.js'
import { type Call, defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { hash } from '../../params/bytes.js'
import { rawTransactionByHash } from '../eth/rawTransactions.js'
import { findBlock, isPending, isPendingInAnvil } from '../findBlock.js'

/**
 * Returns the block for a debug method, or undefined beyond the head.
 *
 * @throws ServerError for an unknown hash, which geth prints as a list of decimal bytes (internal/ethapi/api.go), and
 *   for the pending block, which geth looks for among the stored ones by its hash
 */
async function blockOrRefusal(
  call: Pick<Call, 'view' | 'backend'>,
  selector: BlockSelector,
  what: 'block' | 'header',
): Promise<StoredBlock | undefined> {
  const { view } = call
  const block = isPendingInGeth(call, selector) ? undefined : findBlock(view, selector)
  if (block !== undefined || 'number' in selector) return block
  const { hash } = 'hash' in selector ? selector : (await view.pendingBlock()).block
  throw new ServerError(`${what} #[${hash.join(' ')}] not found`)
}

/** Whether the block is the pending one and not, as in anvil, the head. */
function isPendingInGeth({ backend }: Pick<Call, 'backend'>, selector: BlockSelector): boolean {
  return isPending(selector) && !isPendingInAnvil({ backend }, selector)
}

/**
 * debug_codeByHash: returns the code with a keccak-256 hash, `0x` if no account of any block had it
 * (anvil/src/eth/api.rs, which also accepts a block but ignores it).
 */
export const codeByHash = defineMethod(
  'debug_codeByHash',
  [required('hash', hash), optional('block', blockSelector)],
  ({ backend }, codeHash) => bytesWire(backend.records.code(codeHash) ?? new Uint8Array(0)),
)

/**
 * debug_getRawTransactions: returns a block's transactions in EIP-2718 form, in order (foundry: anvil-core/src/eth).
 */
export const getRawTransactions = defineMethod(
  'debug_getRawTransactions',
  [required('block', blockSelector)],
  ({ view, backend }, selector) => {
    const block = findBlock(view, selector)
    return block === undefined ? [] : writtenTexts(backend.records.rawTransactions(block), jsonBytes)
  },
)

/** debug_getRawTransaction: returns a mined transaction in EIP-2718 form, a pending one in its network form. */
export const getRawTransaction = defineMethod(
  'debug_getRawTransaction',
  [required('hash', hash)],
  rawTransactionByHash,
)

/**
 * debug_getRawReceipts: returns a block's receipts in EIP-2718 form; like geth, null beyond the head and an empty list
 * for an unknown hash and the pending block.
 */
export const getRawReceipts = defineMethod(
  'debug_getRawReceipts',
  [required('block', blockSelector)],
  ({ view, backend }, selector) => {
    if (isPendingInGeth({ backend }, selector)) return []
    const block = findBlock(view, selector)
    if (block === undefined) return 'hash' in selector ? [] : null
    return writtenTexts(backend.records.rawReceipts(block), jsonBytes)
  },
)

/** debug_getRawHeader: returns a header as RLP. */
export const getRawHeader = defineMethod(
  'debug_getRawHeader',
  [required('block', blockSelector)],
  async (call, selector) => {
    const block = await blockOrRefusal(call, selector, 'header')
    return block === undefined ? '0x' : bytesToHex(encodeHeader(block.header))
  },
)

/** debug_getBadBlocks: returns rejected blocks, none of which are kept. */
export const getBadBlocks = defineMethod('debug_getBadBlocks', [], () => [])

/** debug_getRawBlock: returns a block as RLP. */
export const getRawBlock = defineMethod(
  'debug_getRawBlock',
  [required('block', blockSelector)],
  async (call, selector) => {
    const block = await blockOrRefusal(call, selector, 'block')
    return block === undefined ? '0x' : bytesWire(call.backend.records.rawBlock(block))
  },
)
