import { decodeBlockHash } from '../../../chain/block/decode.js'
import { ChainError } from '../../../chain/errors.js'
import type { StoredBlock } from '../../../chain/block/record.js'
import type { BlockSelector, ChainView } from '../../../chain/view.js'
import { bytesToHex } from '../../../encoding/hex.js'
import { TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { ServerError } from '../../errors.js'
import { type Call, type Result, defineMethod, optional, required } from '../../method.js'
import { data, hash } from '../../params/bytes.js'
import { blockNumber } from '../../params/blockSelector.js'
import { type TraceConfig, traceConfig } from '../../params/traceConfig.js'
import { findBlock, isPending, isPendingInAnvil, noBlock } from '../findBlock.js'
import { traceAll } from '../traces.js'

/**
 * Finds the block to trace.
 *
 * @throws ServerError if there is none, with geth's message (eth/tracers/api.go), and for the pending block
 */
export function tracedBlock(view: ChainView, selector: BlockSelector): StoredBlock {
  if (isPending(selector)) throw new ServerError('tracing on top of pending is not supported')
  const block = findBlock(view, selector)
  if (block !== undefined) return block
  const name =
    'hash' in selector ? bytesToHex(selector.hash) : `#${'number' in selector ? selector.number : 0n}`
  throw new ServerError(`block ${name} not found`)
}

/** Selects the state of a traced block: by its tag, or by its hash, which no reorganisation moves. */
export function tracedState(view: ChainView, selector: BlockSelector): BlockSelector {
  const { hash } = tracedBlock(view, selector)
  return 'tag' in selector ? selector : { hash, requireCanonical: false }
}

/** Whether the block is missing and the emulated node is anvil, which then returns no traces. */
export function isMissingInAnvil(
  { view, backend }: Pick<Call, 'view' | 'backend'>,
  selector: BlockSelector,
): boolean {
  return (
    backend.settings.compatibility.missing === 'anvil' &&
    !isPending(selector) &&
    findBlock(view, selector) === undefined
  )
}

/**
 * Traces a block. Anvil returns no traces for the first and the pending block, and reports missing ones in its own way.
 */
async function traces(call: Call, selector: BlockSelector, config: TraceConfig): Promise<Result> {
  if (isPendingInAnvil(call, selector)) return []
  if (isPending(selector)) return traceAll(call, (await call.view.pendingBlock()).block, config)
  if (isMissingInAnvil(call, selector)) return noBlock(call)
  const block = tracedBlock(call.view, selector)
  const isFirst = block.header.number === 0n && call.backend.settings.compatibility.missing === 'anvil'
  return isFirst ? [] : traceAll(call, block, config)
}

/** debug_traceBlockByNumber: traces each transaction of a block; the pending one is traced as it would be mined now. */
export const traceBlockByNumber = defineMethod(
  'debug_traceBlockByNumber',
  [required('block', blockNumber), optional('config', traceConfig)],
  (call, selector, config = {}) => traces(call, selector, config),
)

/** debug_traceBlockByHash: traces each transaction of a block, canonical or not. */
export const traceBlockByHash = defineMethod(
  'debug_traceBlockByHash',
  [required('blockHash', hash), optional('config', traceConfig)],
  (call, blockHash, config = {}) => traces(call, { hash: blockHash, requireCanonical: false }, config),
)

/** debug_traceBlock: traces each transaction of a block given as RLP, which the chain must contain. */
export const traceBlock = defineMethod(
  'debug_traceBlock',
  [required('block', data), optional('config', traceConfig)],
  async (call, rlp, config = {}) => {
    const block = tracedBlock(call.view, { hash: await hashOf(rlp), requireCanonical: false })
    return traceAll(call, block, config)
  },
)

async function hashOf(blockRlp: Uint8Array): Promise<Uint8Array> {
  try {
    return await runInSlices(decodeBlockHash(blockRlp), new TimeSlice())
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw new ServerError(`could not decode block: ${error.message}`)
  }
}
