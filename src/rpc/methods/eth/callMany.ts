import {
  type Decoder,
  KindMismatchError,
  inPieces,
  jsonTypeName,
  list,
  mapped,
  struct,
} from '../../params/combinators.js'
import { failureOf } from '../../../chain/calls/call.js'
import type { SequenceRequest, SequencedCall } from '../../../chain/tracing/historyTracer.js'
import type { BlockSelector, ChainView } from '../../../chain/view.js'
import type { MessageResult } from '../../../chain/vm/runTransaction.js'
import type { TraceBudget } from '../../../chain/tracing/budget.js'
import { type Awaitable, type Steps, TimeSlice, runWithin } from '../../../encoding/timeSlice.js'
import { toRpcError } from '../../chainErrors.js'
import { ListWriter, PieceWriter, writeBytes } from '../../format/pieces.js'
import { type Call, defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { address, anything } from '../../params/bytes.js'
import {
  type BlockOverrideArguments,
  type CallArguments,
  blockOverrides,
  callObject,
  stateOverride,
} from '../../params/callObject.js'
import { big, index, uint64 } from '../../params/numbers.js'
import { WireBytes, printText } from '../../wire.js'
import { tracedBlock } from '../debug/traceBlock.js'
import { latestBlock } from '../findBlock.js'
import { traceBudget } from '../traces.js'
import { executionRequest } from '../transactionRequest.js'

/** Calls that run one after another in the same block. */
export interface CallBundle {
  calls: readonly CallArguments[]
  /** Overrides of that block. */
  overrides: BlockOverrideArguments
}

/** Erigon's names of header fields, accepted besides those of geth's overrides. */
const erigonOverrides = struct(
  { struct: 'BlockOverrides', type: 'ethapi.BlockOverrides' },
  { blockNumber: big, timestamp: uint64, coinbase: address, baseFee: big },
)

const eitherOverrides: Decoder<BlockOverrideArguments> = {
  schema: {
    type: 'object',
    properties: {
      ...(blockOverrides.schema['properties'] as object),
      ...(erigonOverrides.schema['properties'] as object),
    },
  },
  decode: (value) => eitherOf(erigonOverrides.decode(value), blockOverrides.decode(value)),
  *decodeInSteps(value) {
    return eitherOf(yield* inPieces(erigonOverrides, value), yield* inPieces(blockOverrides, value))
  },
}

function eitherOf(
  { blockNumber, timestamp, coinbase, baseFee }: ReturnType<typeof erigonOverrides.decode>,
  given: BlockOverrideArguments,
): BlockOverrideArguments {
  return {
    ...given,
    number: given.number ?? blockNumber,
    time: given.time ?? timestamp,
    feeRecipient: given.feeRecipient ?? coinbase,
    baseFeePerGas: given.baseFeePerGas ?? baseFee,
  }
}

const members = struct(
  { struct: 'Bundle', type: 'Bundle' },
  { transactions: list(callObject, '[]ethapi.TransactionArgs'), blockOverride: eitherOverrides },
)

/** A bundle of eth_callMany (Erigon: turbo/jsonrpc/eth_callMany.go, Bundle). */
export const callBundle: Decoder<CallBundle> = mapped(
  members,
  ({ transactions = [], blockOverride = {} }): CallBundle => ({
    calls: transactions,
    overrides: blockOverride,
  }),
)

/** Number of a block's transactions to apply first, as a number or QUANTITY; -1 means all. */
const transactionIndex: Decoder<number> = {
  schema: { title: 'transaction index', type: ['integer', 'string'], minimum: -1 },
  decode(value) {
    if (typeof value === 'string') return index.decode(value)
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= -1) return value
    throw new KindMismatchError(typeof value === 'number' ? `number ${value}` : jsonTypeName(value), 'int')
  },
}

/** Starting point of eth_callMany (Erigon: turbo/jsonrpc/eth_callMany.go, StateContext). */
const stateContext = struct(
  { struct: 'StateContext', type: 'StateContext' },
  { blockNumber: blockSelector, transactionIndex },
)

const ALL = -1

/**
 * eth_callMany: executes messages in bundles, each message on the state left by those before it, and each bundle in a
 * block of its own. A failed message returns its error without stopping the rest (Erigon:
 * turbo/jsonrpc/eth_callMany.go). Answers have the format of reth (rpc-eth-api, call_many). The timeout is ignored.
 */
export const callMany = defineMethod(
  'eth_callMany',
  [
    required('bundles', list(callBundle, '[]Bundle')),
    optional('context', stateContext),
    optional('stateOverrides', stateOverride),
    optional('timeout', anything),
  ],
  async (context, bundles, given, stateOverrides) => {
    const { blockNumber: block = latestBlock, transactionIndex = ALL } = given ?? {}
    const { view, backend } = context
    const answers = new BundleAnswers(context)
    await backend.sequence.run({
      view,
      position: positionOf(view, block, transactionIndex),
      stateOverrides,
      calls: answers.callsOf(bundles, block),
      ran: (result) => answers.add(result),
      requester: context.context,
    })
    return answers.wire()
  },
)

/** Text of an answer without its data, in bytes. */
const ANSWER_BYTES = 16

/** Writes the answers while the calls run, as there may be millions of calls. */
class BundleAnswers {
  readonly #context: Call
  readonly #budget: TraceBudget
  readonly #writer = new PieceWriter()
  readonly #bundles = new ListWriter(this.#writer)
  #answers = new ListWriter(this.#writer)
  readonly #slice = new TimeSlice()

  constructor(context: Call) {
    this.#context = context
    this.#budget = traceBudget(context)
  }

  /** Iterates over the calls of the bundles. The list of a bundle's answers begins and ends with its calls. */
  *callsOf(bundles: readonly CallBundle[], block: BlockSelector): Iterable<SequencedCall> {
    for (const { calls, overrides } of bundles) {
      this.#bundles.append('')
      this.#answers = new ListWriter(this.#writer)
      for (const transaction of calls) yield this.#callOf(transaction, block, overrides)
      this.#answers.end()
    }
    this.#bundles.end()
  }

  #callOf(
    transaction: CallArguments,
    block: BlockSelector,
    overrides: BlockOverrideArguments,
  ): SequencedCall {
    const args = { transaction, block, stateOverrides: undefined, blockOverrides: overrides }
    const request = executionRequest(this.#context, args)
    const { call, blockOverrides, gasCapInBlocks, baseFee, unfunded, requester } = request
    return { call, blockOverrides, gasCapInBlocks, baseFee, unfunded, requester }
  }

  /** @throws TraceInterruption if the answers become too long */
  add(result: MessageResult): Awaitable<void> {
    this.#budget.spend(ANSWER_BYTES + 2 * result.returnData.length)
    return runWithin(this.#write(result), this.#slice)
  }

  *#write(result: MessageResult): Steps<void> {
    const failure = failureOf(result)
    if (failure === undefined) {
      this.#answers.append('{"value":')
      yield* writeBytes(result.returnData, this.#writer)
    } else {
      this.#answers.append('{"error":')
      const { message } = toRpcError(failure, this.#context.backend.settings.compatibility.errorMessages)
      for (const piece of yield* printText(message)) this.#writer.append(piece)
    }
    this.#writer.append('}')
  }

  wire(): WireBytes {
    return new WireBytes(this.#writer.pieces())
  }
}

function positionOf(
  view: ChainView,
  block: BlockSelector,
  transactions: number,
): SequenceRequest['position'] {
  return transactions === ALL ? { after: block } : { within: tracedBlock(view, block), transactions }
}
