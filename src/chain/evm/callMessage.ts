import { LargeMap } from '../../encoding/largeMap.js'
import { type Awaitable, whenReady } from '../../encoding/timeSlice.js'
import {
  EVMError,
  type EVMMockBlockchainInterface,
  type EVMRunCallOpts,
  type ExecResult,
  Message,
  type PrecompileFunc,
} from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'
import { EMPTY_RECORD, NO_BYTES, addressKey, bytesKey } from '../state/account.js'
import type { WorkingState } from '../state/workingState.js'
import type { ForkRules } from '../types.js'
import { delegationTarget } from '../vm/message.js'
import type { FrameFailure } from './failure.js'
import { loaded } from './frameEnvironment.js'
import type { FrameInterpreter } from './frameInterpreter.js'
import type { FrameJournal } from './frameJournal.js'

/** Nested frames per JavaScript stack: each takes some 2 KB of its megabyte. */
const FRAMES_ON_STACK = 64

/** The part of the EVM that a message runs in. */
export interface MessageHost {
  readonly state: WorkingState
  readonly frameJournal: FrameJournal
  readonly common: ForkRules
  /** Returns the precompile at a 20-byte address, if there is one. */
  findPrecompile(address: Uint8Array): PrecompileFunc | undefined
  readonly transientStorage: { checkpoint(): void; commit(): void; revert(): void }
  callPrecompile(code: PrecompileFunc, message: Message): Awaitable<ExecResult>
  runFrame(message: Message): Awaitable<ExecResult>
}

/**
 * Runs a message to an account like EVM.runCall of ethereumjs, but without promises where the state is loaded, and
 * without account objects. For forks since Berlin. Accounts created or destroyed are added to the message's
 * collections, and removed again if it fails.
 */
export function runCallMessage(host: MessageHost, message: Message): Awaitable<ExecResult> {
  if (message.depth % FRAMES_ON_STACK !== FRAMES_ON_STACK - 1) return start(host, message)
  return Promise.resolve().then(() => start(host, message))
}

function start(host: MessageHost, message: Message): Awaitable<ExecResult> {
  return whenReady(findCode(host, message), (code) => {
    const destroyed = message.selfdestruct?.size ?? 0
    const created = message.createdAddresses?.size ?? 0
    void host.frameJournal.checkpoint()
    host.transientStorage.checkpoint()
    const failure = message.delegatecall ? undefined : transfer(host, message)
    return whenReady(failure ?? execute(host, message, code), (result) => {
      result.gasRefund ??= message.gasRefund
      if (result.exceptionError === undefined) {
        void host.frameJournal.commit()
        host.transientStorage.commit()
        return result
      }
      return whenReady(host.frameJournal.revert(), () => {
        host.transientStorage.revert()
        truncate(message.selfdestruct, destroyed)
        truncate(message.createdAddresses, created)
        result.gasRefund = 0n
        result.logs = []
        return result
      })
    })
  })
}

/**
 * Finds the code that a message runs: a precompile, the account's code, or that of the account it delegates to.
 * Afterwards the account is loaded, so that {@link transfer} can pay it.
 */
export function findCode(
  host: MessageHost,
  { to, codeAddress, depth }: Message,
): Awaitable<Uint8Array | PrecompileFunc> {
  const { state, common } = host
  const address = codeAddress.bytes
  const precompile = host.findPrecompile(address)
  if (precompile !== undefined) {
    return to === codeAddress ? whenReady(state.readAccount(address), () => precompile) : precompile
  }
  return whenReady(state.readCode(address), (code) => {
    const target = common.isActivatedEIP(7702) ? delegationTarget(code) : undefined
    if (target === undefined) return code
    if (depth === 0) host.frameJournal.warmAddress(target)
    return state.readCode(target)
  })
}

/** Transfers the value of a message; a balance wraps at 256 bits, as in geth. @returns the failure, if any */
function transfer({ state, frameJournal }: MessageHost, message: Message): ExecResult | undefined {
  const { caller, to, value } = message
  if (to === undefined) throw new Error('the call has no recipient')
  frameJournal.touchAddress(to)
  if (value === 0n) return undefined
  frameJournal.touchAddress(caller)
  const payer = loaded(state.readAccount(caller.bytes)) ?? EMPTY_RECORD
  if (payer.balance < value) return failed(EVMError.errorMessages.INSUFFICIENT_BALANCE)
  void state.writeAccount(caller.bytes, { ...payer, balance: payer.balance - value })
  const payee = loaded(state.readAccount(to.bytes)) ?? EMPTY_RECORD
  void state.writeAccount(to.bytes, { ...payee, balance: BigInt.asUintN(256, payee.balance + value) })
  return undefined
}

function failed(error: EVMError['error']): ExecResult {
  return { executionGasUsed: 0n, returnValue: NO_BYTES, exceptionError: new EVMError(error) }
}

function execute(
  host: MessageHost,
  message: Message,
  code: Uint8Array | PrecompileFunc,
): Awaitable<ExecResult> {
  if (typeof code === 'function') return host.callPrecompile(code, message)
  if (code.length === 0) return { executionGasUsed: 0n, returnValue: NO_BYTES }
  message.code = code
  return host.runFrame(message)
}

/** Truncates an insertion-ordered map or set to its first `size` entries. */
function truncate(entries: Map<string, unknown> | Set<string> | undefined, size: number): void {
  if (entries === undefined || entries.size === size) return
  for (const key of [...entries.keys()].slice(size)) entries.delete(key)
}

/** A value of a transient slot, the frame that wrote it, and the value that was there before that frame. */
interface TransientValue {
  readonly frame: number
  readonly bytes: Uint8Array
  readonly before: TransientValue | undefined
}

/**
 * Transient storage (EIP-1153), in the shape of the library's.
 *
 * Frames are numbered as they begin. A revert notes the numbers of the frames it undoes, and a slot drops their values
 * when it is next used. The library journals each write instead and undoes them in one go, and a call may buy half a
 * million writes.
 */
export class TransientStorage {
  #accounts = new Map<string, LargeMap<TransientValue>>()
  #size = 0
  readonly #openFrames: number[] = []
  #frameCount = 0
  /** The highest number of a frame that has written and was not reverted, or a higher one. */
  #lastWriter = 0
  /** First and last frame of each reverted range, ascending. */
  readonly #reverted: number[] = []

  /** Number of slots written, to estimate their memory. */
  get size(): number {
    return this.#size
  }

  /** Returns the value of a 32-byte slot without leading zeros. */
  get(address: Address, slot: Uint8Array): Uint8Array {
    const values = this.#accounts.get(addressKey(address.bytes))
    if (values === undefined) return NO_BYTES
    const name = bytesKey(slot)
    const value = values.get(name)
    const valid = this.#valid(value)
    // Reverted values are dropped, so that the next read does not pass them again.
    if (valid === undefined) this.#size -= Number(values.delete(name))
    else if (valid !== value) values.set(name, valid)
    return valid?.bytes ?? NO_BYTES
  }

  put(address: Address, slot: Uint8Array, bytes: Uint8Array): void {
    const account = addressKey(address.bytes)
    let values = this.#accounts.get(account)
    if (values === undefined) {
      values = new LargeMap()
      this.#accounts.set(account, values)
    }
    const name = bytesKey(slot)
    const frame = this.#openFrames.at(-1) ?? 0
    const known = values.get(name)
    if (known === undefined) this.#size++
    let before = this.#valid(known)
    while (before !== undefined && before.frame >= frame) before = before.before
    values.set(name, { frame, bytes, before })
    if (frame > this.#lastWriter) this.#lastWriter = frame
  }

  checkpoint(): void {
    this.#openFrames.push(++this.#frameCount)
  }

  commit(): void {
    this.#openFrames.pop()
  }

  revert(): void {
    const frame = this.#openFrames.pop() ?? 0
    if (this.#lastWriter < frame) return
    this.#lastWriter = frame - 1
    while ((this.#reverted.at(-2) ?? -1) >= frame) this.#reverted.splice(-2)
    this.#reverted.push(frame, this.#frameCount)
  }

  /** Ends the transaction, even within frames. */
  clear(): void {
    if (this.#accounts.size > 0) this.#accounts = new Map()
    this.#size = 0
    if (this.#openFrames.length > 0) this.#openFrames.length = 0
    if (this.#reverted.length > 0) this.#reverted.length = 0
    this.#frameCount = 0
    this.#lastWriter = 0
  }

  /** Returns the latest value whose frame was not reverted. */
  #valid(value: TransientValue | undefined): TransientValue | undefined {
    let latest = value
    while (latest !== undefined && this.#isReverted(latest.frame)) latest = latest.before
    return latest
  }

  /** Finds the last range that begins at the frame or before, by bisection. */
  #isReverted(frame: number): boolean {
    let low = 0
    let high = this.#reverted.length / 2
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#reverted[2 * middle] ?? 0) <= frame) low = middle + 1
      else high = middle
    }
    return low > 0 && frame <= (this.#reverted[2 * low - 1] ?? 0)
  }
}

/** BLOCKHASH of an unknown block. */
const ZERO_HASH = new Uint8Array(32)

/** Answers BLOCKHASH, in the shape of the library's blockchain. */
export class HashLookup implements EVMMockBlockchainInterface {
  /** Returns the 32-byte hash of an earlier block; undefined reads as zero. */
  find: (number: bigint) => Awaitable<Uint8Array | undefined> = unknownHash

  async getBlock(number: number): Promise<{ hash: () => Uint8Array }> {
    const hash = (await this.find(BigInt(number))) ?? ZERO_HASH
    return { hash: () => hash }
  }

  async putBlock(): Promise<void> {}

  shallowCopy(): this {
    return this
  }

  /** Forgets the chain: every block is unknown. */
  forget(): void {
    this.find = unknownHash
  }
}

function unknownHash(): undefined {
  return undefined
}

/** Accounts created and destroyed by a message and its nested ones, by address. */
export interface MessageCollections {
  readonly selfdestruct: NonNullable<Message['selfdestruct']>
  readonly createdAddresses: NonNullable<Message['createdAddresses']>
}

/** Creates the outermost message of a call, like the library's EVM.runCall. */
export function outermostMessage(
  options: EVMRunCallOpts,
  caller: Address,
  to: Address,
  { selfdestruct, createdAddresses }: MessageCollections,
): Message {
  const message = new Message({
    caller,
    to,
    value: options.value ?? 0n,
    gasLimit: options.gasLimit ?? 0n,
    data: options.data ?? NO_BYTES,
    selfdestruct,
    createdAddresses,
  })
  if (options.blobVersionedHashes !== undefined) message.blobVersionedHashes = options.blobVersionedHashes
  return message
}

/**
 * Builds the result of a frame in the library's shape (EVM.runInterpreter).
 *
 * @param gasLimit - gas at the start of the frame
 */
export function frameResult(
  { _result: { logs, returnValue = NO_BYTES, selfdestruct, createdAddresses }, runState }: FrameInterpreter,
  gasLimit: bigint,
  failure: FrameFailure | undefined,
): ExecResult {
  const { gasLeft, gasRefund } = runState
  if (failure === undefined) {
    const executionGasUsed = gasLimit - gasLeft
    return { returnValue, executionGasUsed, gasRefund, logs, selfdestruct, createdAddresses }
  }
  const isReverted = failure.error === EVMError.errorMessages.REVERT
  return {
    returnValue,
    exceptionError: failure,
    executionGasUsed: isReverted ? gasLimit - gasLeft : gasLimit,
    gasRefund,
    logs: [],
  }
}
