import { setTimeout as sleep } from 'node:timers/promises'
import { ChainError } from '../../../chain/errors.js'
import type { ChainView } from '../../../chain/view.js'
import { MemoryShare } from '../../../encoding/memoryShare.js'
import { RpcError, ServerError } from '../../errors.js'
import { jsonBytes, jsonQuantity } from '../../format/pieces.js'
import { type Call, optional, required } from '../../method.js'
import { type NumberSelector, blockNumber } from '../../params/blockSelector.js'
import { type TraceConfig, traceConfig } from '../../params/traceConfig.js'
import type { WirePiece } from '../../wire.js'
import { isPending } from '../findBlock.js'
import { defineKind, subscriptionMethods } from '../subscriptionMethods.js'
import { traceAll } from '../traces.js'
import { tracedBlock } from './traceBlock.js'

/** Milliseconds between looks at a connection that still has traces to send. */
const POLL_MILLISECONDS = 20

/** Block tags as geth's messages show them (rpc/types.go). */
const tagNumbers = { pending: -1n, latest: -2n, finalized: -3n, safe: -4n, earliest: -5n }

/** What the stream of traces needs of a subscription. */
interface Target {
  push: (payload: readonly WirePiece[]) => void
  isDrained: () => boolean
  signal: AbortSignal
}

/**
 * Pushes the traces of each block after `start` up to `end` that has transactions, and of `end` in any case. A failure
 * ends the traces of its block, and where a block cannot be traced at all, as the pending one, the pushes end (geth:
 * eth/tracers/api.go, traceChain).
 */
const traceChain = defineKind(
  'traceChain',
  [required('start', blockNumber), required('end', blockNumber), optional('config', traceConfig)],
  (call, start, end, config = {}) => {
    const [first, last] = [numberOf(call.view, start), numberOf(call.view, end)]
    if (first >= last) {
      throw new ServerError(`end block (#${shown(end)}) needs to come after start block (#${shown(start)})`)
    }
    return (push, isDrained) => {
      const controller = new AbortController()
      const { signal } = controller
      pushTraces(call, { first, last, config }, { push, isDrained, signal }).catch((fault: unknown) => {
        const isRefusal = fault instanceof ChainError || fault instanceof RpcError
        if (!isRefusal && !signal.aborted) call.report('debug_subscribe', fault)
      })
      return () => controller.abort()
    }
  },
)

function numberOf(view: ChainView, selector: NumberSelector): bigint {
  return isPending(selector) ? view.head().header.number + 1n : tracedBlock(view, selector).header.number
}

function shown(selector: NumberSelector): bigint {
  return 'tag' in selector ? tagNumbers[selector.tag] : selector.number
}

async function pushTraces(
  call: Call,
  { first, last, config }: { first: bigint; last: bigint; config: TraceConfig },
  { push, isDrained, signal }: Target,
): Promise<void> {
  const { transport, caller } = call.context
  for (let number = first + 1n; number <= last; number++) {
    while (!isDrained()) await sleep(POLL_MILLISECONDS, undefined, { signal })
    const block = call.view.resolve({ number })
    if (block === undefined) return
    if (block.transactions.length === 0 && number < last) continue
    // The request's own context ended with its answer.
    const memory = new MemoryShare()
    try {
      const own = { ...call, context: { transport, caller, signal, memory } }
      const { pieces } = await traceAll(own, block, config, 'report first')
      push([`{"block":${jsonQuantity(number)},"hash":${jsonBytes(block.hash)},"traces":`, ...pieces, '}'])
    } finally {
      memory.end()
    }
  }
}

/**
 * debug_subscribe: starts pushing the traces of a range of blocks and returns the subscription id. debug_unsubscribe:
 * ends a subscription of this connection.
 */
export const [subscribe, unsubscribe] = subscriptionMethods('debug', [traceChain])
