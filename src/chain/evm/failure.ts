import { EVMError, type ExecResult } from '@ethereumjs/evm'
import { MAX_UINT64 } from '../../encoding/bigints.js'
import { NO_BYTES } from '../state/account.js'
import type { ForkRules } from '../types.js'
import { maxInitcodeSize } from '../vm/preCheck.js'
import { BLAKE2_INPUT_LENGTH } from './blake2.js'
import { SSTORE_SENTRY_GAS } from './forkSchedule.js'
import { type OpcodeEntry, type RunState, stackItem } from './internals.js'
import { opcodeNames } from './opcodeNames.js'
import { REVERTED } from './revertReason.js'

const libraryMessages = EVMError.errorMessages

/** geth's messages for ethereumjs' errors (core/vm/errors.go). */
const gethMessages: Readonly<Record<string, string>> = {
  [libraryMessages.OUT_OF_GAS]: 'out of gas',
  [libraryMessages.STATIC_STATE_CHANGE]: 'write protection',
  [libraryMessages.CREATE_COLLISION]: 'contract address collision',
  [libraryMessages.INSUFFICIENT_BALANCE]: 'insufficient balance for transfer',
  [libraryMessages.OUT_OF_RANGE]: 'gas uint64 overflow',
  [libraryMessages.REVERT]: REVERTED,
}

const BN254_PAIRING = 0x08
const BLAKE2 = 0x09
/**
 * Opcodes for which geth checks write protection while it computes the gas, so that the error is wrapped: SSTORE,
 * CREATE, CALL, CREATE2, SELFDESTRUCT (core/vm/operations_acl.go, gas_table.go).
 */
const checkedWithGas: ReadonlySet<number> = new Set([0x55, 0xf0, 0xf1, 0xf5, 0xff])
const SSTORE = 0x55
const RETURNDATACOPY = 0x3e
const SELFDESTRUCT = 0xff

/** A failed frame, with geth's message. */
export class FrameFailure extends EVMError {
  /** Message from geth's core/vm/errors.go. */
  readonly message: string
  constructor(error: EVMError['error'], message: string) {
    super(error)
    this.message = message
  }
}

/** geth's message for a creation by an account with the highest nonce. */
export const NONCE_OVERFLOW = 'nonce uint64 overflow'

/** Result of a precompile that costs more than the available gas. */
export function outOfGas(gasLimit: bigint): ExecResult {
  const exceptionError = new EVMError(libraryMessages.OUT_OF_GAS)
  return { executionGasUsed: gasLimit, returnValue: NO_BYTES, exceptionError }
}

/** Result of a creation by a sender with the highest nonce (geth: core/vm/evm.go, createFramePreCheck). */
export function nonceOverflow(): ExecResult {
  const exceptionError = new FrameFailure(libraryMessages.INTERNAL_ERROR, NONCE_OVERFLOW)
  return { executionGasUsed: 0n, returnValue: NO_BYTES, exceptionError }
}

/** The failure of an opcode that finds too few stack items. */
export function stackUnderflow(length: number, minimum: number): FrameFailure {
  return new FrameFailure(libraryMessages.STACK_UNDERFLOW, `stack underflow (${length} <=> ${minimum})`)
}

/** The failure of an opcode that would overflow the stack. */
export function stackOverflow(length: number, maximum: number): FrameFailure {
  return new FrameFailure(libraryMessages.STACK_OVERFLOW, `stack limit reached ${length} (${maximum})`)
}

/** The failure of an opcode whose price function finds too little gas: geth wraps the error. */
export function priceOutOfGas(): FrameFailure {
  return new FrameFailure(libraryMessages.OUT_OF_GAS, 'out of gas: out of gas')
}

/** An opcode and the gas that it found. */
export interface OpcodePrice {
  entry: OpcodeEntry
  rules: ForkRules
  /** Gas before the opcode. */
  gasLeft: bigint
}

/** Adds geth's message to an error of an opcode. */
export function describeFailure(error: EVMError, runState: RunState, price: OpcodePrice): FrameFailure {
  const message = priceMessage(error, runState, price)
  if (message !== undefined) return new FrameFailure(libraryMessages.OUT_OF_GAS, message)
  if (error instanceof FrameFailure) return error
  return new FrameFailure(error.error, opcodeMessage(error, runState))
}

/** Errors of the library for an opcode that geth fails before it runs. */
const priceErrors: ReadonlySet<string> = new Set([
  libraryMessages.OUT_OF_GAS,
  libraryMessages.STATIC_STATE_CHANGE,
  libraryMessages.INITCODE_SIZE_VIOLATION,
])

/**
 * Returns geth's message for an opcode that cannot be paid; undefined for a failure of an opcode that is paid. geth
 * checks the constant gas, the size of the memory, what the opcode's price function checks (wrapped in "out of gas: "),
 * and the whole price, in this order (core/vm/interpreter.go, gas_table.go).
 */
function priceMessage(
  error: EVMError,
  runState: RunState,
  { entry, rules, gasLeft }: OpcodePrice,
): string | undefined {
  const { opCode: opcode } = runState
  const isStatic = error.error === libraryMessages.STATIC_STATE_CHANGE
  if (!priceErrors.has(error.error) || (isStatic && !checkedWithGas.has(opcode))) return undefined
  if (opcode === RETURNDATACOPY && error instanceof FrameFailure) return undefined
  if (gasLeft < constantGas(entry, rules)) return 'out of gas'
  const size = memorySize(runState)
  if (size > MAX_UINT64 - 31n) return 'gas uint64 overflow'
  if (error instanceof FrameFailure) return error.message
  if (isStatic) return 'out of gas: write protection'
  if (size > MAX_PRICED_MEMORY) return 'out of gas: gas uint64 overflow'
  if (opcode === SSTORE && gasLeft <= SSTORE_SENTRY_GAS && rules.gteHardfork('istanbul')) {
    return 'out of gas: not enough gas for reentrancy sentry'
  }
  if (error.error === libraryMessages.INITCODE_SIZE_VIOLATION) {
    const length = runState.stack.peek(3)[2] ?? 0n
    return `out of gas: max initcode size exceeded: code size ${length} limit ${maxInitcodeSize(rules)}`
  }
  // A warm beneficiary can only fail with this little gas if it had to be created, which cannot be told afterwards.
  if (opcode === SELFDESTRUCT && rules.isActivatedEIP(2929)) {
    if (gasLeft < constantGas(entry, rules) + rules.param('coldaccountaccessGas'))
      return 'out of gas: out of gas'
  }
  return 'out of gas'
}

/** Opcodes whose gas ethereumjs splits differently from geth, where all of it is dynamic. */
const withoutConstantGas: ReadonlySet<number> = new Set([0x0a, 0x55, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4])
/**
 * BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH and the calls. Since Berlin, they always pay for a warm account
 * (core/vm/eips.go, enable2929).
 */
const payingWarmAccess: ReadonlySet<number> = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xf1, 0xf2, 0xf4, 0xfa])

/** Returns the constant part of an opcode's gas in geth (core/vm/jump_table.go). */
export function constantGas({ opcodeInfo }: OpcodeEntry, rules: ForkRules): bigint {
  const { code, feeBigInt } = opcodeInfo
  if (withoutConstantGas.has(code)) return 0n
  return payingWarmAccess.has(code) && rules.isActivatedEIP(2929)
    ? rules.param('warmstoragereadGas')
    : feeBigInt
}

function opcodeMessage({ error }: EVMError, { opCode: opcode }: RunState): string {
  if (error === libraryMessages.INVALID_OPCODE) return `invalid opcode: ${opcodeNames[opcode]}`
  // The library appends the jump's position to its message.
  if (error.startsWith(libraryMessages.INVALID_JUMP)) return 'invalid jump destination'
  return gethMessages[error] ?? error
}

/** Beyond this many bytes, the gas for memory does not fit into 64 bits (core/vm/gas_table.go, memoryGasCost). */
const MAX_PRICED_MEMORY = 0x1fffffffe0n

/** Stack positions of memory offsets and lengths by opcode; a bigint is the length itself. */
const memoryRanges = new Map<number, readonly (readonly [offset: number, length: number | bigint])[]>([
  [0x20, [[0, 1]]],
  [0x37, [[0, 2]]],
  [0x39, [[0, 2]]],
  [0x3c, [[1, 3]]],
  [0x3e, [[0, 2]]],
  [0x51, [[0, 32n]]],
  [0x52, [[0, 32n]]],
  [0x53, [[0, 1n]]],
  [
    0x5e,
    [
      [0, 2],
      [1, 2],
    ],
  ],
  ...[0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf3, 0xfd].map((opcode) => [opcode, [[0, 1]]] as const),
  ...[0xf0, 0xf5].map((opcode) => [opcode, [[1, 2]]] as const),
  ...[0xf1, 0xf2].map(
    (opcode) =>
      [
        opcode,
        [
          [3, 4],
          [5, 6],
        ],
      ] as const,
  ),
  ...[0xf4, 0xfa].map(
    (opcode) =>
      [
        opcode,
        [
          [2, 3],
          [4, 5],
        ],
      ] as const,
  ),
])

/** Returns the number of bytes of memory that an opcode needs. */
function memorySize({ opCode, stack }: RunState): bigint {
  let most = 0n
  for (const [offsetAt, lengthAt] of memoryRanges.get(opCode) ?? []) {
    const items = stack.peek(Math.min(stack.length, 7))
    const length = typeof lengthAt === 'bigint' ? lengthAt : (items[lengthAt] ?? 0n)
    if (length === 0n) continue
    const end = (items[offsetAt] ?? 0n) + length
    if (end > most) most = end
  }
  return most
}

/** geth's messages for ethereumjs' errors of precompiles (core/vm/contracts.go). */
const precompileMessages: Readonly<Record<string, string>> = {
  [libraryMessages.BLS_12_381_INPUT_EMPTY]: 'invalid input length',
  [libraryMessages.BLS_12_381_INVALID_INPUT_LENGTH]: 'invalid input length',
  [libraryMessages.INVALID_COMMITMENT]: 'mismatched versioned hash',
}

/** Adds geth's message to an error of a precompile, given the number that its address ends with. */
export function describePrecompileFailure(error: EVMError, input: Uint8Array, precompile: number): EVMError {
  if (error instanceof FrameFailure) return error
  const message =
    precompile === BLAKE2 && error.error === libraryMessages.OUT_OF_RANGE
      ? input.length === BLAKE2_INPUT_LENGTH
        ? 'invalid final flag'
        : 'invalid input length'
      : precompile === BN254_PAIRING && error.error === libraryMessages.INVALID_INPUT_LENGTH
        ? 'bad elliptic curve pairing size'
        : precompileMessages[error.error]
  return message === undefined ? error : new FrameFailure(error.error, message)
}

/** What an initcode returned and left. */
export interface Deployment {
  /** The code to store. */
  code: Uint8Array
  gasLeft: bigint
}

/** Facts about a failed creation. */
export interface CreationFacts {
  rules: ForkRules
  /** That of the last initcode that ran. */
  deployment: Deployment
  /** Length of the initcode in bytes. */
  initcodeSize: number
}

/** Errors of a creation whose initcode succeeded, but whose code cannot be stored. */
const deploymentErrors: ReadonlySet<string> = new Set([
  libraryMessages.OUT_OF_GAS,
  libraryMessages.CODESTORE_OUT_OF_GAS,
  libraryMessages.CODESIZE_EXCEEDS_MAXIMUM,
  libraryMessages.INVALID_BYTECODE_RESULT,
])

/** Whether a creation failed after its initcode had returned. Tracers in JavaScript still see what it returned. */
export function failedOnDeployment(error: EVMError): boolean {
  return !(error instanceof FrameFailure) && deploymentErrors.has(error.error)
}

/** Returns geth's message for a failed frame, or a failed creation if its facts are given. */
export function failureMessage(error: EVMError, creation?: CreationFacts): string {
  if (error instanceof FrameFailure) return error.message
  if (creation !== undefined) {
    if (failedOnDeployment(error)) return deploymentFailure(creation)
    if (error.error === libraryMessages.INITCODE_SIZE_VIOLATION) {
      const limit = maxInitcodeSize(creation.rules)
      return `max initcode size exceeded: code size ${creation.initcodeSize} limit ${limit}`
    }
  }
  return gethMessages[error.error] ?? error.error
}

/** Checks a code in geth's order (core/vm/evm.go, initNewContract); the library looks at its size first. */
function deploymentFailure({ rules, deployment: { code, gasLeft } }: CreationFacts): string {
  if (rules.isActivatedEIP(3541) && code[0] === 0xef) return 'invalid code: must not begin with 0xef'
  const price = BigInt(code.length) * rules.param('createDataGas')
  if (price > gasLeft) return 'contract creation code storage out of gas'
  return `max code size exceeded: code size ${code.length} limit ${rules.param('maxCodeSize')}`
}

/**
 * Makes CREATE or CREATE2 fail because of its initcode's size (EIP-3860) while its price is computed, as in geth
 * (core/vm/gas_table.go). The library checks it after the payment, with the stack items gone.
 */
export function withInitcodeLimit(entry: OpcodeEntry, rules: ForkRules): OpcodeEntry {
  const limit = maxInitcodeSize(rules)
  if (limit === undefined) return entry
  const gasHandler: OpcodeEntry['gasHandler'] = async (runState, ...rest) => {
    const gas = await entry.gasHandler(runState, ...rest)
    if (stackItem(runState.stack, 2) <= limit) return gas
    throw new EVMError(EVMError.errorMessages.INITCODE_SIZE_VIOLATION)
  }
  return { ...entry, gasHandler }
}
