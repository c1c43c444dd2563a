import type { Awaitable } from '../../encoding/timeSlice.js'
import type { Message } from '@ethereumjs/evm'
import { type Account, type Address, createZeroAddress } from '@ethereumjs/util'
import type { WorkingState } from '../state/workingState.js'
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
