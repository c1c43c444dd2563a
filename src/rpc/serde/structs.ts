import { InvalidParamsError } from '../errors.js'
import { blockText } from './blocks.js'
import {
  type NumberNaming,
  type Reader,
  address,
  boolean,
  bytes,
  hash,
  isObject,
  jsonNumber,
  mapOf,
  noVariant,
  option,
  mismatch,
  sequence,
  struct,
  text,
  uint,
  unknownField,
  wholeNumber,
} from './readers.js'

/** Readers of the values in an access list or authorization, and how the node names numbers that do not fit. */
export interface ItemReaders {
  address: Reader
  hash: Reader
  uint: (bits: number) => Reader
  naming: NumberNaming
}

/** An access list (alloy: AccessList). */
export function accessListOf({ address, hash, naming }: ItemReaders): Reader {
  return sequence(
    struct(
      { expected: 'struct AccessListItem', naming, required: ['address', 'storageKeys'] },
      { address, storageKeys: sequence(hash, naming) },
    ),
    naming,
  )
}

/** Authorizations of a transaction (alloy: SignedAuthorization). */
export function authorizationsOf({ address, uint, naming }: ItemReaders): Reader {
  const members = struct(
    { expected: 'struct Helper', naming, required: ['r', 's', 'chainId', 'address', 'nonce'] },
    {
      r: uint(256),
      s: uint(256),
      chainId: uint(256),
      address,
      nonce: uint(64),
      yParity: uint(8),
      v: uint(64),
    },
  )
  return sequence((value) => {
    const { v, ...read } = members(value) as Record<string, unknown>
    const yParity = read['yParity'] ?? v
    if (yParity === undefined || yParity === null) throw new InvalidParamsError('missing `yParity` or `v`')
    return { ...read, yParity }
  }, naming)
}

const itemReaders: ItemReaders = { address, hash, uint, naming: 'named' }

const transactionFields: Readonly<Record<string, Reader>> = {
  from: address,
  to: address,
  gas: uint(64),
  gasPrice: uint(128),
  maxFeePerGas: uint(128),
  maxPriorityFeePerGas: uint(128),
  maxFeePerBlobGas: uint(128),
  value: uint(256),
  data: bytes,
  input: bytes,
  nonce: uint(64),
  chainId: uint(64),
  accessList: accessListOf(itemReaders),
  type: uint(8),
  blobVersionedHashes: sequence(hash, 'named'),
  authorizationList: authorizationsOf(itemReaders),
}

const sidecarMembers = ['blobs', 'commitments', 'proofs'] as const

/** A call or transaction (alloy: TransactionRequest); `input` takes precedence over `data`. */
function transactionOf(expected: string, naming: NumberNaming): Reader {
  const members = struct({ expected, naming }, transactionFields)
  return (value) => {
    const { type: _type, ...read } = members(value) as Record<string, unknown>
    if (read['input'] !== undefined && read['input'] !== null) delete read['data']
    if (!sidecarMembers.every((name) => Array.isArray(read[name]))) {
      for (const name of sidecarMembers) delete read[name]
    }
    return read
  }
}

/** A transaction as anvil reads it (alloy: WithOtherFields). */
export const transaction = transactionOf('struct WithOtherFieldsHelper', 'unnamed')

const overrideNames = [
  ...['balance', 'nonce', 'code', 'state', 'stateDiff'],
  ...['MovePrecompileToAddress', 'movePrecompileToAddress'],
]
const slots = mapOf(hash, hash)

/** State overrides of a call (alloy: StateOverride). */
export const stateOverrides = mapOf(
  address,
  struct(
    { expected: 'struct AccountOverride', naming: 'unnamed', knownNames: overrideNames },
    {
      balance: uint(256),
      nonce: uint(64),
      code: bytes,
      state: slots,
      stateDiff: slots,
      movePrecompileToAddress: address,
    },
  ),
)

const blockOverrideMembers = struct(
  { expected: 'struct BlockOverrides', naming: 'unnamed' },
  {
    number: uint(256),
    difficulty: uint(256),
    time: uint(64),
    gasLimit: uint(64),
    coinbase: address,
    feeRecipient: address,
    random: hash,
    prevRandao: hash,
    baseFee: uint(256),
    baseFeePerGas: uint(256),
  },
)

/** Block overrides of a call; some members have other names, too, and others are ignored (alloy: BlockOverrides). */
export const blockOverrides: Reader = (value) => {
  const members = blockOverrideMembers(value) as Record<string, unknown>
  const { coinbase, random, baseFee, beaconRoot: _, withdrawals: __, ...read } = members
  return { feeRecipient: coinbase, prevRandao: random, baseFeePerGas: baseFee, ...read }
}

/** A simulation (alloy: SimulatePayload). */
export const simulation = struct(
  { expected: 'struct SimulatePayload', naming: 'unnamed' },
  {
    blockStateCalls: sequence(
      struct(
        { expected: 'struct SimBlock', naming: 'unnamed' },
        {
          blockOverrides,
          stateOverrides,
          calls: sequence(transactionOf('struct TransactionRequest', 'unnamed'), 'unnamed'),
        },
      ),
      'unnamed',
    ),
    traceTransfers: boolean('unnamed'),
    validation: boolean('unnamed'),
    returnFullTransactions: boolean('unnamed'),
  },
)

const steps = boolean('named')
const tracing: Readonly<Record<string, Reader>> = {
  enableMemory: steps,
  disableMemory: steps,
  disableStack: steps,
  disableStorage: steps,
  enableReturnData: steps,
  disableReturnData: steps,
  debug: steps,
  limit: jsonNumber,
  timeout: text('named'),
  // A member of geth's alone, so any value goes and has no effect.
  overrides: () => undefined,
  tracer: (value) => {
    if (typeof value === 'string') return value
    throw noVariant('GethDebugTracerType')
  },
}

/** Options for tracing a transaction (alloy: GethDebugTracingOptions). */
export const tracingOptions = struct(
  { expected: 'struct GethDebugTracingOptions', naming: 'unnamed' },
  tracing,
)

/** Options for tracing a call (alloy: GethDebugTracingCallOptions). */
export const tracingCallOptions = struct(
  { expected: 'struct GethDebugTracingCallOptions', naming: 'unnamed' },
  { ...tracing, stateOverrides, blockOverrides, txIndex: uint(64) },
)

const filterNames = ['fromBlock', 'toBlock', 'address', 'topics', 'blockHash']
const MAX_TOPICS = 4

/** A value or a list of values (alloy: ValueOrArray). */
function variadic(reader: Reader): Reader {
  return (value) => {
    try {
      return Array.isArray(value) ? value.map((one: unknown) => option(reader)(one)) : reader(value)
    } catch {
      const none = noVariant('Variadic')
      throw new InvalidParamsError(`Invalid variadic value or array type: ${none.message}`)
    }
  }
}

const topics = sequence(option(variadic(hash)), 'unnamed')

/** A log filter (alloy: Filter). */
export const filter: Reader = (value) => {
  if (!isObject(value)) throw mismatch(value, 'Filter object')
  const read: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (!filterNames.includes(name)) throw unknownField(name, filterNames)
    read[name] = option(filterFields[name] ?? blockText)(member)
  }
  const isRange = [read['fromBlock'], read['toBlock']].some((bound) => bound !== undefined && bound !== null)
  if (isRange && read['blockHash'] !== undefined && read['blockHash'] !== null) {
    throw new InvalidParamsError(
      'cannot specify both blockHash and fromBlock/toBlock, choose one or the other',
    )
  }
  const { length } = (read['topics'] ?? []) as readonly unknown[]
  if (length > MAX_TOPICS) throw new InvalidParamsError('exceeded maximum topics len')
  return read
}

const filterFields: Readonly<Record<string, Reader>> = { address: variadic(address), topics, blockHash: hash }

/** A trace filter (alloy: TraceFilter). */
export const traceFilter = struct(
  {
    expected: 'struct TraceFilter',
    naming: 'unnamed',
    knownNames: ['fromBlock', 'toBlock', 'fromAddress', 'toAddress', 'mode', 'after', 'count'],
    notNull: ['fromAddress', 'toAddress', 'mode'],
  },
  {
    fromBlock: uint(64),
    toBlock: uint(64),
    after: wholeNumber('u64'),
    count: wholeNumber('u64'),
    fromAddress: sequence(address, 'unnamed'),
    toAddress: sequence(address, 'unnamed'),
    mode: (value) => {
      if (typeof value === 'string' || isObject(value)) return value
      throw mismatch(value, 'string or map')
    },
  },
)
