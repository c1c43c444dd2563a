import type { Decoder } from './parameter.js'
import { address } from './address.js'
import { blockOverrides, type BlockOverrideArguments } from './blockOverrides.js'
import { blockSelector } from './blockSelector.js'
import { callObject, type CallArguments } from './callObject.js'
import { jsonTypeName, TypeMismatchError } from './decodeError.js'
import { inPieces } from './inPieces.js'
import { list } from './list.js'
import { mapped } from './mapped.js'
import { struct } from './struct.js'
import { big } from './uint256.js'
import { index, uint64 } from './uint64.js'

/** Calls that run one after another in the same block. */
export interface CallBundle {
  calls: readonly CallArguments[]
  /** What is different in that block. */
  overrides: BlockOverrideArguments
}

/** The names that Erigon has for header fields, beside those of geth's overrides. */
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

/** How many transactions of a block come first, as a number or a QUANTITY; -1 is all of them. */
const transactionIndex: Decoder<number> = {
  schema: { title: 'transaction index', type: ['integer', 'string'], minimum: -1 },
  decode(value) {
    if (typeof value === 'string') return index.decode(value)
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= -1) return value
    throw new TypeMismatchError(typeof value === 'number' ? `number ${value}` : jsonTypeName(value), 'int')
  },
}

/** Where the bundles of eth_callMany run (Erigon: turbo/jsonrpc/eth_callMany.go, StateContext). */
export const stateContext = struct(
  { struct: 'StateContext', type: 'StateContext' },
  { blockNumber: blockSelector, transactionIndex },
)
