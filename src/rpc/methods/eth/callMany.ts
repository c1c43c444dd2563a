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
import { bytesToHex } from '../../../encoding/hex.js'
import { toRpcError } from '../../chainErrors.js'
import type { CompatibilityProfile } from '../../compatibility.js'
import { defineMethod, optional, required } from '../../method.js'
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
import type { JsonValue } from '../../wire.js'
import { tracedBlock } from '../debug/traceBlock.js'
import { latestBlock } from '../findBlock.js'
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
  *decodeInPieces(value) {
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
export const stateContext = struct(
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
    const calls = bundles.map(({ calls: messages, overrides }) =>
      messages.map((transaction): SequencedCall => {
        const { call, blockOverrides, gasCapInBlocks, baseFee, unfunded, requester } = executionRequest(
          context,
          {
            transaction,
            block,
            stateOverrides: undefined,
            blockOverrides: overrides,
          },
        )
        return { call, blockOverrides, gasCapInBlocks, baseFee, unfunded, requester }
      }),
    )
    const position = positionOf(view, block, transactionIndex)
    const results = await backend.sequence.run({ view, position, stateOverrides, calls: calls.flat() })
    let from = 0
    return calls.map((bundle) =>
      results
        .slice(from, (from += bundle.length))
        .map((result) => answer(result, backend.settings.compatibility)),
    )
  },
)

function positionOf(
  view: ChainView,
  block: BlockSelector,
  transactions: number,
): SequenceRequest['position'] {
  return transactions === ALL ? { after: block } : { within: tracedBlock(view, block), transactions }
}

function answer(
  result: MessageResult,
  { errorMessages }: Pick<CompatibilityProfile, 'errorMessages'>,
): JsonValue {
  const failure = failureOf(result)
  if (failure === undefined) return { value: bytesToHex(result.returnData) }
  return { error: toRpcError(failure, errorMessages).message }
}
