import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredBlock } from '../../../chain/block/record.js'
import { ChainError } from '../../../chain/errors.js'
import type { ChainView } from '../../../chain/view.js'
import { MemoryShare } from '../../../encoding/memoryShare.js'
import { Semaphore } from '../../../encoding/semaphore.js'
import { TimeSlice } from '../../../encoding/timeSlice.js'
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

/** Blocks traced at once for all subscriptions; the others wait. */
const tracing = new Semaphore(16)

/**
 * What all streams in progress may hold in bytes, and what one of them holds besides the text of its tracer: what a
 * configuration for the tracer may have at most, or the call and its place among the others.
 */
const MAX_HELD = 64 * 1024 * 1024
const HELD_WITH_CONFIGURATION = 256 * 1024
const HELD_WITHOUT = 64 * 1024
let held = 0

/** The stream of traces of a subscription. */
interface Stream {
  push: (payload: readonly WirePiece[]) => void
  isDrained: () => boolean
  isOpen: boolean
  /** Ends the trace that runs, if any. */
  abort: () => void
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
    const size = heldBytes(config)
    if (held + size > MAX_HELD) throw new ServerError('too many streams of traces')
    return (push, isDrained) => {
      held += size
      const stream: Stream = { push, isDrained, isOpen: true, abort: () => undefined }
      pushTraces(call, { first, last, config }, stream)
        .catch((fault: unknown) => {
          const isRefusal = fault instanceof ChainError || fault instanceof RpcError
          if (!isRefusal && stream.isOpen) call.report('debug_subscribe', fault)
        })
        .finally(() => (held -= size))
      return () => {
        stream.isOpen = false
        stream.abort()
      }
    }
  },
)

function heldBytes({ tracer = '', tracerConfig }: TraceConfig): number {
  return tracer.length + (tracerConfig === undefined ? HELD_WITHOUT : HELD_WITH_CONFIGURATION)
}

function numberOf(view: ChainView, selector: NumberSelector): bigint {
  return isPending(selector) ? view.head().header.number + 1n : tracedBlock(view, selector).header.number
}

function shown(selector: NumberSelector): bigint {
  return 'tag' in selector ? tagNumbers[selector.tag] : selector.number
}

async function pushTraces(
  call: Call,
  { first, last, config }: { first: bigint; last: bigint; config: TraceConfig },
  stream: Stream,
): Promise<void> {
  const slice = new TimeSlice()
  for (let number = first + 1n; number <= last; number++) {
    while (stream.isOpen && !stream.isDrained()) await sleep(POLL_MILLISECONDS)
    await slice.pause()
    if (!stream.isOpen) return
    const block = call.view.resolve({ number })
    if (block === undefined) return
    if (block.transactions.length === 0 && number < last) continue
    await tracing.run(() => pushBlock(call, block, config, stream))
  }
}

async function pushBlock(call: Call, block: StoredBlock, config: TraceConfig, stream: Stream): Promise<void> {
  if (!stream.isOpen) return
  const { transport, caller } = call.context
  const controller = new AbortController()
  stream.abort = () => controller.abort()
  // The request's own context ended with its answer.
  const memory = new MemoryShare()
  try {
    const own = { ...call, context: { transport, caller, signal: controller.signal, memory } }
    const { pieces } = await traceAll(own, block, config, 'report first')
    const head = `{"block":${jsonQuantity(block.header.number)},"hash":${jsonBytes(block.hash)},"traces":`
    stream.push([head, ...pieces, '}'])
  } finally {
    stream.abort = () => undefined
    memory.end()
  }
}

/**
 * debug_subscribe: starts pushing the traces of a range of blocks and returns the subscription id. debug_unsubscribe:
 * ends a subscription of this connection.
 */
export const [subscribe, unsubscribe] = subscriptionMethods('debug', [traceChain])
