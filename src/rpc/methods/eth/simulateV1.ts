import {
  type Decoder,
  ReasonError,
  TypeMismatchError,
  entries,
  inPieces,
  list,
  mapped,
  struct,
} from '../../params/combinators.js'
import { address, anything, boolean } from '../../params/bytes.js'
import { checksumAddress } from '../../../chain/accounts/address.js'
import type { CallObject } from '../../../chain/calls/callObject.js'
import type { AccountOverride } from '../../../chain/calls/overrides.js'
import type { BlockToSimulate, SimulatedBlock, SimulatedCall } from '../../../chain/calls/simulate/request.js'
import { revertError } from '../../../chain/evm/revertReason.js'
import { keysOf } from '../../../encoding/jsonKeys.js'
import { type Steps, runToCompletion } from '../../../encoding/timeSlice.js'
import { type BlockShape, bodyMembers, headerMembers, totalDifficultyMember } from '../../format/block.js'
import { logText } from '../../format/log.js'
import {
  type BlockReference,
  ListWriter,
  type PieceWriter,
  jsonBytes,
  jsonQuantity,
  blockReference,
  quantityMember,
  written,
} from '../../format/pieces.js'
import { transactionText } from '../../format/transaction.js'
import { defineMethod, optional, required } from '../../method.js'
import { latestBlock } from '../findBlock.js'
import { blockSelector } from '../../params/blockSelector.js'
import {
  type BlockOverrideArguments,
  accountOverride,
  blockOverrides,
  callObject,
  stateOverride,
  toCall,
} from '../../params/callObject.js'
import { type JsonSchema, printJson, printText } from '../../wire.js'

/** Error code of a reverted call (geth: internal/ethapi/errors.go). */
const REVERTED_CODE = 3
/** Error code of any other failed call. */
const FAILED_CODE = -32015
const CAPPED = " (gas limit was capped by the RPC server's global gas cap)"

/** Format of simulated blocks. */
export interface SimulationShape extends BlockShape {
  /** Whether calls report their gas before refunds. */
  peakGas: boolean
}

/** Writes simulated blocks: block objects with the results of their calls. */
function* writeSimulatedBlocks(
  blocks: readonly SimulatedBlock[],
  shape: SimulationShape,
  writer: PieceWriter,
): Steps<void> {
  const list = new ListWriter(writer)
  for (const { block, calls } of blocks) {
    const reference = blockReference(block)
    list.append(headerMembers(block.hash, block.header))
    writer.append((yield* bodyMembers(block)) + totalDifficultyMember(block, shape))
    writer.append(',"transactions":')
    const transactions = new ListWriter(writer)
    for (const [index, sealed] of block.transactions.entries()) {
      transactions.append(
        shape.fullTransactions
          ? transactionText(sealed, { block: reference, index })
          : jsonBytes(sealed.hash),
      )
      yield
    }
    transactions.end()
    writer.append(',"calls":')
    const shown = new ListWriter(writer)
    for (const [index, call] of calls.entries()) {
      const hash = block.transactions[index]?.hash
      const { peakGas } = shape
      const ownHash = hash === undefined ? 'null' : jsonBytes(hash)
      yield* writeCall(call, { block: reference, index, hash: ownHash, peakGas }, { list: shown, writer })
      yield
    }
    shown.end()
    writer.append('}')
  }
  list.end()
}

/** Position of a call. */
interface CallLocation {
  block: BlockReference
  index: number
  /** JSON text. */
  hash: string
  peakGas: boolean
}

/** Writes a call's result, its members in geth's order (internal/ethapi/simulate.go, simCallResult). */
function* writeCall(
  call: SimulatedCall,
  { block, index, hash, peakGas }: CallLocation,
  { list, writer }: { list: ListWriter; writer: PieceWriter },
): Steps<void> {
  const { returnData, logs, gasUsed, maxGasUsed, failure } = call
  list.append(`{"returnData":${failure === undefined ? jsonBytes(returnData) : '"0x"'},"logs":`)
  const shown = new ListWriter(writer)
  for (const log of logs) {
    shown.append(logText(log, { block, transactionHash: hash, transactionIndex: index, logIndex: log.index }))
    yield
  }
  shown.end()
  writer.append(
    `,"gasUsed":${jsonQuantity(gasUsed)}${quantityMember('maxUsedGas', peakGas ? maxGasUsed : undefined)}` +
      `,"status":${failure === undefined ? '"0x1"' : '"0x0"'}`,
  )
  for (const piece of yield* errorMember(call)) writer.append(piece)
  writer.append('}')
}

function* errorMember({ failure, returnData, isGasCapped }: SimulatedCall): Steps<string[]> {
  if (failure === undefined) return []
  if (failure.kind === 'revert') {
    const message = yield* printText(revertError(returnData).message)
    const rest = `,"code":${REVERTED_CODE},"data":${jsonBytes(returnData)}}`
    return [',"error":{"message":', ...message, rest]
  }
  const message = printJson(isGasCapped ? failure.message + CAPPED : failure.message)
  return [`,"error":{"message":${message},"code":${FAILED_CODE}}`]
}

const calls = list(mapped(callObject, toCall), '[]ethapi.TransactionArgs')

/** A block before its overrides are decoded (geth: internal/ethapi/simulate.go, simBlock.UnmarshalJSON). */
const undecodedBlock = struct(
  {
    struct: 'simOpts',
    type:
      'struct { BlockOverrides json.RawMessage; StateOverrides map[common.Address]json.RawMessage; ' +
      'Calls []ethapi.TransactionArgs }',
    capitalised: true,
  },
  {
    blockOverrides: anything,
    stateOverrides: entries(
      { name: address, member: anything, type: 'map[common.Address]json.RawMessage' },
      (account, override) => ({ account, override }),
    ),
    calls,
  },
)

/**
 * A block to simulate. Unlike elsewhere, unknown members of overrides are rejected, and mismatches are attributed to
 * the simulation's struct.
 */
const block: Decoder<BlockToSimulate> = {
  schema: {
    type: 'object',
    properties: {
      blockOverrides: blockOverrides.schema,
      stateOverrides: stateOverride.schema,
      calls: calls.schema,
    },
  },
  decode: (value) => runToCompletion(decodeBlock(value)),
  decodeInSteps: decodeBlock,
}

function* decodeBlock(value: unknown): Steps<BlockToSimulate> {
  try {
    return yield* decodeBlockMembers(value)
  } catch (error) {
    throw error instanceof TypeMismatchError ? error.inStruct('simOpts') : error
  }
}

function* decodeBlockMembers(value: unknown): Steps<BlockToSimulate> {
  const {
    blockOverrides: header,
    stateOverrides: accounts = [],
    calls,
  } = yield* inPieces(undecodedBlock, value)
  yield* checkMembers(header, blockOverrides.schema, () => 'block override')
  const decodedHeader = yield* inPieces(blockOverrides, header ?? null)
  const { length } = decodedHeader.withdrawals ?? []
  if (length > MAX_WITHDRAWALS) throw new ReasonError(`more than ${MAX_WITHDRAWALS} withdrawals in a block`)
  const overrides: AccountOverride[] = []
  const what = (account: Uint8Array) => `state override for ${checksumAddress(account)}`
  for (const { account, override } of accounts) {
    if (overrides.length % ACCOUNTS_AT_ONCE === ACCOUNTS_AT_ONCE - 1) yield
    yield* checkMembers(override, accountOverride.schema, () => what(account))
    overrides.push({ address: account, ...(yield* inPieces(accountOverride, override)) })
  }
  return toBlock({ blockOverrides: decodedHeader, stateOverrides: overrides, calls })
}

/** Maximum number of withdrawals of a block; those of mainnet have sixteen. */
const MAX_WITHDRAWALS = 50_000
/** Accounts whose overrides are decoded per piece. */
const ACCOUNTS_AT_ONCE = 64
/** Members checked per piece. */
const MEMBERS_AT_ONCE = 1024

/**
 * Refuses members that the schema lacks, and two spellings of one member. Like geth, it names the alphabetically first
 * member at fault, and ignores case.
 *
 * @throws ReasonError
 */
function* checkMembers(value: unknown, { properties }: JsonSchema, what: () => string): Steps<void> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  /** The alphabetically first two spellings of each member. */
  const spellings = new Map(
    Object.keys(properties as object).map((name) => [name.toLowerCase(), [] as string[]]),
  )
  let unknown: string | undefined
  for (const [index, name] of keysOf(value).entries()) {
    if (index % MEMBERS_AT_ONCE === MEMBERS_AT_ONCE - 1) yield
    const found = spellings.get(name.toLowerCase())
    if (found !== undefined) found.splice(0, found.length, ...[...found, name].sort().slice(0, 2))
    else if (unknown === undefined || name < unknown) unknown = name
  }
  const [repeated] = [...spellings.values()]
    .filter(({ length }) => length > 1)
    .sort(([, a = ''], [, b = '']) => (a < b ? -1 : 1))
  if (repeated !== undefined) {
    const [first = '', second = ''] = repeated
    if (unknown === undefined || second < unknown) {
      throw new ReasonError(`keys "${first}" and "${second}" in ${what()} name the same field`)
    }
  }
  if (unknown !== undefined) throw new ReasonError(`unknown field "${unknown}" in ${what()}`)
}

const options = struct(
  { struct: 'simOpts', type: 'ethapi.simOpts', capitalised: true },
  {
    blockStateCalls: list(block, '[]ethapi.simBlock'),
    traceTransfers: boolean,
    validation: boolean,
    returnFullTransactions: boolean,
  },
)

/** Blocks to simulate, with options. */
export interface Simulation {
  blocks: BlockToSimulate[]
  traceTransfers: boolean
  validation: boolean
  returnFullTransactions: boolean
}

/** The payload of eth_simulateV1 (geth: internal/ethapi/simulate.go, simOpts). */
export const simulation: Decoder<Simulation> = mapped(options, ({ blockStateCalls = [], ...flags }) => {
  const { traceTransfers = false, validation = false, returnFullTransactions = false } = flags
  return { blocks: blockStateCalls, traceTransfers, validation, returnFullTransactions }
})

interface BlockArguments {
  blockOverrides?: BlockOverrideArguments
  stateOverrides?: AccountOverride[]
  calls?: CallObject[] | undefined
}

function toBlock({
  blockOverrides: given = {},
  stateOverrides = [],
  calls = [],
}: BlockArguments): BlockToSimulate {
  const { withdrawals, ...overrides } = given
  return {
    overrides: {
      ...overrides,
      ...(withdrawals !== undefined && {
        withdrawals: withdrawals.map(({ index = 0n, validatorIndex = 0n, address, amount = 0n }) => ({
          index,
          validatorIndex,
          address: address ?? new Uint8Array(20),
          amount,
        })),
      }),
    },
    stateOverrides,
    calls,
  }
}

/** eth_simulateV1: executes blocks of calls on top of a base block as if they were mined. */
export const simulateV1 = defineMethod(
  'eth_simulateV1',
  [required('payload', simulation), optional('block', blockSelector)],
  async (
    { view, backend, context },
    { blocks, traceTransfers, validation, returnFullTransactions },
    base = latestBlock,
  ) => {
    const { totalDifficulty, compatibility } = backend.settings
    const simulated = await backend.simulator.simulate({
      view,
      base,
      blocks,
      fillsGaps: compatibility.simulationFillsGaps,
      traceTransfers,
      validation,
      requester: context,
    })
    const { simulationReportsPeakGas: peakGas } = compatibility
    const shape = { fullTransactions: returnFullTransactions, totalDifficulty, peakGas }
    return written((writer) => writeSimulatedBlocks(simulated, shape, writer))
  },
)
