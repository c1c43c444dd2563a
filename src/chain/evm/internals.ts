import { Common, Hardfork, Mainnet, type StateManagerInterface } from '@ethereumjs/common'
import {
  EVM,
  type EVMMockBlockchainInterface,
  type EVMPerformanceLogger,
  type ExecResult,
} from '@ethereumjs/evm'
import {
  type TypedTransaction,
  createAccessList2930Tx,
  createBlob4844Tx,
  createEOACode7702Tx,
  createFeeMarket1559Tx,
  createLegacyTx,
} from '@ethereumjs/tx'
import { Address, createZeroAddress } from '@ethereumjs/util'
import type { VM } from '@ethereumjs/vm'
import { bytesToHex, minimalBytes } from '../../encoding/hex.js'
import { type Awaitable, type Steps, TimeSlice, runWithin, whenReady } from '../../encoding/timeSlice.js'
import type { AccessListEntry, Authorization } from '../calls/callObject.js'
import { kzg } from '../crypto/outcome.js'
import { NO_BYTES } from '../state/account.js'
import type { ForkRules } from '../types.js'

/*
 * Members of @ethereumjs/* that this project uses although the packages do not export them. The rest of the code
 * reaches them through this file, or as inherited members of EVM and Interpreter. All of them are checked when the
 * first EVM is made. docs/ethereumjs.md explains how to move to another release.
 */

/** The release that package.json pins all @ethereumjs packages to. */
export const ETHEREUMJS_RELEASE = '10.1.3'

/** The interpreter of one frame; the package does not export its class. */
export type Interpreter = NonNullable<ExecResult['runState']>['interpreter']

/** An interpreter's state while its frame runs. */
export type RunState = NonNullable<ExecResult['runState']>

/** The library's entry for an opcode. */
export type OpcodeEntry = ReturnType<Interpreter['lookupOpInfo']>

/** The environment of a frame. */
export type LibraryEnvironment = Interpreter['_env']

/** Constructs the interpreter of one frame. */
export type InterpreterConstructor = new (
  evm: EVM,
  state: StateManagerInterface,
  blockchain: EVMMockBlockchainInterface,
  environment: LibraryEnvironment,
  gasLeft: bigint,
  journal: EVM['journal'],
  logger: EVMPerformanceLogger,
) => Interpreter

/** Returns what a frame has produced so far: its logs, its return data, and the accounts it created or destroyed. */
export function interpreterResult(interpreter: Interpreter): Interpreter['_result'] {
  return interpreter._result
}

/** Returns the rules that a frame runs under. */
export function interpreterRules(interpreter: Interpreter): Common {
  return interpreter._evm.common
}

/** Returns the bytes of a frame's memory, without the copy that `Memory.read` and `write` make. */
export function memoryBytes(memory: RunState['memory']): Uint8Array {
  return memory._store
}

/**
 * Empties a frame's memory for the next frame. Up to `kept` bytes are reused, the first `used` of which are cleared.
 * More are released; memory for the next frame is allocated once it needs some, as a thousand frames may end at once.
 */
export function clearMemory(
  memory: RunState['memory'],
  { used, kept }: Record<'used' | 'kept', number>,
): void {
  if (memory._store.length > kept) memory._store = NO_BYTES
  else memory._store.fill(0, 0, used)
}

/** Returns the items of a stack from the bottom up; items above its height are stale. */
export function stackItems(stack: RunState['stack']): bigint[] {
  return stack['_store']
}

/** Sets the height of a stack after changing its {@link stackItems}. */
export function setStackHeight(stack: RunState['stack'], height: number): void {
  stack['_len'] = height
}

/** Returns the stack item at a depth below the top, which must exist. Unlike `Stack.peek`, it allocates no array. */
export function stackItem(stack: RunState['stack'], depth: number): bigint {
  return stack['_store'][stack['_len'] - 1 - depth] as bigint
}

/** Puts a transaction under the rules of a block, since it may have been created for a later fork. */
export function useRules(transaction: TypedTransaction, rules: ForkRules): void {
  if (transaction.common !== rules) Reflect.set(transaction, 'common', rules)
}

/** Switches a VM to another state. */
export function useState(vm: VM, state: StateManagerInterface): void {
  checkMembers('VM', vm)
  ;(vm as { stateManager: StateManagerInterface }).stateManager = state
}

/** Library members used by this project's subclasses and opcodes, by class. */
const usedMembers = {
  EVM: [
    'getActiveOpcodes',
    '_opcodes',
    '_dynamicGasHandlers',
    '_handlers',
    '_opcodeMap',
    '_precompiles',
    'journal',
    'transientStorage',
    'runCode',
    'runCall',
    '_loadCode',
    '_generateAddress',
    'getPrecompile',
    'precompiles',
  ],
  Interpreter: ['run', 'runStep', 'lookupOpInfo', '_runState', '_env', '_result', '_stateManager'],
  Memory: ['_store', 'extend', 'read', 'write'],
  Stack: ['_store', '_len', 'push', 'pop', 'popN'],
  VM: ['stateManager'],
} as const

function checkMembers(name: keyof typeof usedMembers, object: object): void {
  const library = name === 'VM' ? 'vm' : 'evm'
  for (const member of usedMembers[name]) {
    if (!(member in object)) throw new Error(`@ethereumjs/${library} no longer has ${name}.${member}`)
  }
}

/**
 * Obtains the class of the library's interpreter from a test run.
 *
 * @throws Error if a member that this project uses is gone
 */
export async function captureInterpreter(evm: EVM): Promise<InterpreterConstructor> {
  checkMembers('EVM', evm)
  const { runState } = await EVM.prototype.runCode.call(evm, { code: Uint8Array.of(0x00), gasLimit: 1n })
  if (runState === undefined) throw new Error('@ethereumjs/evm no longer returns the state of a run')
  const { interpreter, memory, stack } = runState
  checkMembers('Interpreter', interpreter)
  checkMembers('Memory', memory)
  checkMembers('Stack', stack)
  checkStack(stack)
  return interpreter.constructor as InterpreterConstructor
}

function checkStack(stack: RunState['stack']): void {
  stack.push(1n)
  stack.push(2n)
  const isKnown = stackItem(stack, 0) === 2n && stackItem(stack, 1) === 1n
  stack.popN(2)
  if (!isKnown) throw new Error('@ethereumjs/evm stores the items of its stack differently')
}

/** Members of the library's journal that are only needed to report access lists and preimages. */
const unusedJournalMembers: ReadonlySet<string> = new Set([
  'startReportingAccessList',
  'startReportingPreimages',
  'touchAccount',
])

/**
 * @throws Error if the library's journal has members that our replacement lacks
 */
export function checkLibraryJournal(library: object, own: object): void {
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(library))) {
    if (!(name in own) && !unusedJournalMembers.has(name)) {
      throw new Error(`@ethereumjs/evm has a new member Journal.${name}`)
    }
  }
}

/** The fields of an unsigned transaction. Amounts are in wei. */
export interface UnsignedFields {
  type: 0 | 1 | 2 | 3 | 4
  /** All types but 0; that of the chain by default. */
  chainId?: bigint | undefined
  nonce: bigint
  gasLimit: bigint
  /** 20 bytes; absent for a contract creation. */
  to?: Uint8Array | undefined
  value: bigint
  data: Uint8Array
  /** Types 0 and 1. */
  gasPrice?: bigint | undefined
  /** Types 2, 3 and 4. */
  maxFeePerGas?: bigint | undefined
  maxPriorityFeePerGas?: bigint | undefined
  accessList: readonly AccessListEntry[]
  /** Type 3. */
  maxFeePerBlobGas?: bigint | undefined
  /** Type 3; 32 bytes each. */
  blobVersionedHashes?: readonly Uint8Array[] | undefined
  /** Type 4. */
  authorizationList?: readonly Authorization[] | undefined
  /** Type 0: encodes the chain id, together with zero r and s. */
  v?: bigint | undefined
}

/** The members of a transaction object in @ethereumjs/tx. */
type Members = Record<string, unknown>

/**
 * Creates an unsigned transaction object of @ethereumjs/tx for calls, estimates and simulations.
 *
 * The library's constructors reject what a call may do: exceed EIP-7825's gas cap, use a list unknown to its fork, or
 * have any nonce. So the fields are assigned to an object with the methods of the library's class. Callers validate the
 * fields themselves.
 */
export function unsignedTransaction(fields: UnsignedFields, rules: ForkRules): TypedTransaction {
  const { type, to } = fields
  const empty = emptyTransaction(type)
  const transaction = Object.create(Object.getPrototypeOf(empty) as object) as Members
  transaction['type'] = type
  transaction['activeCapabilities'] = empty['activeCapabilities']
  transaction['txOptions'] = empty['txOptions']
  transaction['common'] = rules
  transaction['cache'] = {}
  transaction['nonce'] = fields.nonce
  transaction['gasLimit'] = fields.gasLimit
  transaction['to'] = to === undefined ? undefined : new Address(to)
  transaction['value'] = fields.value
  transaction['data'] = fields.data
  if (type === 0) transaction['keccakFunction'] = empty['keccakFunction']
  if (type === 0 && fields.v !== undefined) {
    transaction['v'] = fields.v
    transaction['r'] = 0n
    transaction['s'] = 0n
  }
  if (type < 2) transaction['gasPrice'] = fields.gasPrice ?? 0n
  if (type > 0) {
    transaction['chainId'] = fields.chainId ?? rules.chainId()
    transaction['accessList'] = fields.accessList.map(({ address, storageKeys }) => [address, storageKeys])
  }
  if (type > 1) {
    transaction['maxFeePerGas'] = fields.maxFeePerGas ?? 0n
    transaction['maxPriorityFeePerGas'] = fields.maxPriorityFeePerGas ?? 0n
  }
  if (type === 3) {
    transaction['maxFeePerBlobGas'] = fields.maxFeePerBlobGas ?? 0n
    transaction['blobVersionedHashes'] = (fields.blobVersionedHashes ?? []).map(bytesToHex)
  }
  if (type === 4) {
    transaction['authorizationList'] = (fields.authorizationList ?? []).map(authorizationBytes)
  }
  // eslint-disable-next-line no-restricted-syntax -- an object made member by member has no class that TypeScript sees
  return transaction as unknown as TypedTransaction
}

/** Gives an object made by {@link unsignedTransaction} its signature, which the library's `sign` would validate. */
export function setSignature(
  transaction: TypedTransaction,
  { v, r, s }: Readonly<Record<'v' | 'r' | 's', bigint>>,
): void {
  Reflect.set(transaction, 'v', v)
  Reflect.set(transaction, 'r', r)
  Reflect.set(transaction, 's', s)
}

/** Authorizations converted between two yields. */
const AUTHORIZATIONS_AT_ONCE = 512

/** Like {@link unsignedTransaction}, but yields to other work while it converts a long authorization list. */
export function unsignedTransactionInSlices(
  fields: UnsignedFields,
  rules: ForkRules,
): Awaitable<TypedTransaction> {
  const { authorizationList = [] } = fields
  if (authorizationList.length <= AUTHORIZATIONS_AT_ONCE) return unsignedTransaction(fields, rules)
  const transaction = unsignedTransaction({ ...fields, authorizationList: [] }, rules)
  return whenReady(runWithin(convertAuthorizations(authorizationList), new TimeSlice()), (converted) => {
    Reflect.set(transaction, 'authorizationList', converted)
    return transaction
  })
}

function* convertAuthorizations(authorizations: readonly Authorization[]): Steps<Uint8Array[][]> {
  const converted: Uint8Array[][] = []
  for (const authorization of authorizations) {
    if (converted.push(authorizationBytes(authorization)) % AUTHORIZATIONS_AT_ONCE === 0) yield
  }
  return converted
}

/** Returns the fields of an authorization in the order of EIP-7702; numbers have no leading zeros. */
export function authorizationBytes({ chainId, address, nonce, yParity, r, s }: Authorization): Uint8Array[] {
  return [minimalBytes(chainId), address, ...[nonce, yParity, r, s].map(minimalBytes)]
}

const commonMembers = [
  ...['activeCapabilities', 'txOptions', 'common', 'cache'],
  ...['nonce', 'gasLimit', 'to', 'value', 'data'],
]
const feeMarketMembers = ['chainId', 'accessList', 'maxFeePerGas', 'maxPriorityFeePerGas']

/** Members assigned by {@link unsignedTransaction} beyond those of all types. */
const membersOfType: Readonly<Record<UnsignedFields['type'], readonly string[]>> = {
  0: ['keccakFunction', 'gasPrice'],
  1: ['gasPrice', 'chainId', 'accessList'],
  2: feeMarketMembers,
  3: [...feeMarketMembers, 'maxFeePerBlobGas', 'blobVersionedHashes'],
  4: [...feeMarketMembers, 'authorizationList'],
}

const emptyTransactions = new Map<UnsignedFields['type'], Members>()

/**
 * Returns a transaction of a type, created once, for its class and capabilities.
 *
 * @throws Error if the class lacks a member that is assigned
 */
function emptyTransaction(type: UnsignedFields['type']): Members {
  let transaction = emptyTransactions.get(type)
  if (transaction === undefined) {
    // eslint-disable-next-line no-restricted-syntax -- members of a class are read by name
    transaction = createEmpty(type) as unknown as Members
    for (const member of [...commonMembers, ...membersOfType[type]]) {
      if (!(member in transaction)) throw new Error(`@ethereumjs/tx no longer has ${member}`)
    }
    emptyTransactions.set(type, transaction)
  }
  return transaction
}

function createEmpty(type: UnsignedFields['type']): TypedTransaction {
  const options = { common: new Common({ chain: Mainnet, hardfork: Hardfork.Osaka, customCrypto: { kzg } }) }
  const to = createZeroAddress()
  switch (type) {
    case 0:
      return createLegacyTx({}, options)
    case 1:
      return createAccessList2930Tx({}, options)
    case 2:
      return createFeeMarket1559Tx({}, options)
    case 3:
      return createBlob4844Tx({ to, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }, options)
    case 4: {
      const signature = { yParity: '0x0', r: '0x0', s: '0x0' } as const
      const authorization = { chainId: '0x0', address: to.toString(), nonce: '0x0', ...signature } as const
      return createEOACode7702Tx({ to, authorizationList: [authorization] }, options)
    }
  }
}
