import type { Awaitable } from '../../encoding/timeSlice.js'
import type { Message } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { type Account, type Address, createZeroAddress } from '@ethereumjs/util'
import type { WorkingState } from '../state/workingState.js'
import type { Requester } from '../vm/blockEnvironment.js'
import type { FrameInterpreter } from './frameInterpreter.js'
import type { LibraryEnvironment } from './internals.js'

/** The surroundings of a frame. */
export interface FrameContext {
  /** Source of the gas price and origin; undefined if a message runs without a transaction. */
  transaction: { gasPrice: bigint; origin: Address } | undefined
  block: LibraryEnvironment['block']
  state: WorkingState
}

/**
 * The environment of a frame for ethereumjs' interpreter. The account whose code runs is created on demand from the
 * current state; most frames never need it.
 */
export class FrameEnvironment implements LibraryEnvironment {
  readonly address: Address
  readonly caller: Address
  readonly callData: Uint8Array
  readonly callValue: bigint
  readonly code: Uint8Array
  readonly isStatic: boolean
  readonly isCreate: boolean
  readonly depth: number
  readonly gasPrice: bigint
  readonly origin: Address
  readonly block: LibraryEnvironment['block']
  readonly codeAddress: Address
  readonly gasRefund: bigint
  readonly blobVersionedHashes: LibraryEnvironment['blobVersionedHashes']
  readonly createdAddresses: Set<string> | undefined
  readonly #state: WorkingState
  #contract: Account | undefined

  /**
   * @param message - with its code, which is not a precompile
   */
  constructor(message: Message & { isCreate?: boolean }, { transaction, block, state }: FrameContext) {
    this.address = message.to ?? createZeroAddress()
    this.caller = message.caller
    this.callData = message.data
    this.callValue = message.value
    this.code = message.code as Uint8Array
    this.isStatic = message.isStatic
    this.isCreate = message.isCreate ?? false
    this.depth = message.depth
    this.gasPrice = transaction?.gasPrice ?? 0n
    this.origin = transaction?.origin ?? message.caller
    this.block = block
    this.codeAddress = message.codeAddress
    this.gasRefund = message.gasRefund
    this.blobVersionedHashes = message.blobVersionedHashes ?? []
    this.createdAddresses = message.createdAddresses
    this.#state = state
  }

  get contract(): Account {
    return (this.#contract ??= loaded(this.#state.accountAt(this.address.bytes)))
  }

  set contract(account: Account) {
    this.#contract = account
  }

  /** Drops the cached account, which may have changed. */
  refresh(): void {
    this.#contract = undefined
  }
}

/** State of an EVM that is not lent, and of an interpreter between two frames. */
export const noState = new SimpleStateManager()
/** Environment of an interpreter between two frames, when nothing reads it. */
export const noEnvironment = {} as LibraryEnvironment

/** Thrown within an opcode whose state must be fetched first. The opcode runs again when it has arrived. */
export class StateNotLoaded extends Error {
  override readonly name = 'StateNotLoaded'
  readonly arrival: Promise<unknown>

  constructor(arrival: Promise<unknown>) {
    super('the state is not loaded yet')
    this.arrival = arrival
  }
}

/**
 * Unwraps a value of the state, which is always loaded except on a fork of a remote chain.
 *
 * @throws StateNotLoaded if it must be awaited. Code that runs opcodes reads before it changes anything.
 */
export function loaded<T>(value: Awaitable<T>): T {
  if (value instanceof Promise) throw new StateNotLoaded(value)
  return value
}

/** Runs work that uses {@link loaded} before it changes anything, and retries until everything is loaded. */
export function retryUntilLoaded<T>(work: () => T): Awaitable<T> {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StateNotLoaded)) throw error
    return error.arrival.then(() => retryUntilLoaded(work))
  }
}

/** Gas of an opcode that may need hundreds of kilobytes of memory. */
export const CONSIDERABLE_GAS = 100_000

/** Bytes held for a byte of a frame's memory, which may be returned as bytes and then as hexadecimal digits. */
const MEMORY_COPIES = 4
/** Approximate bytes of a log with few topics, and of an account or slot in the caches of an execution. */
const LOG_BYTES = 400
const KNOWN_BYTES = 800

/** Estimates what an execution holds: the memory and logs of its open frames, and its state. */
export class HeldMemory {
  #frame: FrameInterpreter | undefined
  /** Bytes of the frames around the running one. */
  #outerBytes = 0

  /** Begins a frame. @returns a function that ends it */
  enter(frame: FrameInterpreter): () => void {
    const outer = this.#frame
    const outerBytes = this.#outerBytes
    this.#outerBytes += bytesOf(outer)
    this.#frame = frame
    return () => {
      this.#frame = outer
      this.#outerBytes = outerBytes
    }
  }

  /** Forgets all frames. */
  clear(): void {
    this.#frame = undefined
    this.#outerBytes = 0
  }

  /**
   * Claims it for a request.
   *
   * @param known - number of accounts and slots that the execution holds
   * @returns a promise to await if others hold too much
   */
  claimFor({ memory }: Requester, known: number): Promise<void> | undefined {
    return memory?.claim(this.#outerBytes + bytesOf(this.#frame) + known * KNOWN_BYTES)
  }
}

function bytesOf(frame: FrameInterpreter | undefined): number {
  if (frame === undefined) return 0
  const { runState, _result: result } = frame
  return Number(runState.memoryWordCount) * 32 * MEMORY_COPIES + result.logs.length * LOG_BYTES
}
