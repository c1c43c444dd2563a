import type { Awaitable } from '../../encoding/timeSlice.js'
import type { Message } from '@ethereumjs/evm'
import { type Account, type Address, createZeroAddress } from '@ethereumjs/util'
import type { WorkingState } from '../state/workingState.js'
import type { LibraryEnvironment } from './internals.js'

/** What a frame runs in. */
export interface FramePlace {
  /** Whose price and origin are the frame's; undefined where a message is run without one. */
  transaction: { gasPrice: bigint; origin: Address } | undefined
  block: LibraryEnvironment['block']
  state: WorkingState
}

/**
 * The environment of a frame as ethereumjs' interpreter wants it. The account whose code runs is made when it is asked
 * for, from the state as it is then: most frames never ask.
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

  /** @param message - with its code, which is no precompile */
  constructor(message: Message & { isCreate?: boolean }, { transaction, block, state }: FramePlace) {
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

  /** The account may have changed. */
  refresh(): void {
    this.#contract = undefined
  }
}

/** Thrown in the middle of an opcode whose state must be asked for: the opcode is run again when that has arrived. */
export class StateNotLoaded extends Error {
  override readonly name = 'StateNotLoaded'
  readonly arrival: Promise<unknown>

  constructor(arrival: Promise<unknown>) {
    super('the state is not loaded yet')
    this.arrival = arrival
  }
}

/**
 * A value of the state, which is always loaded except on a fork of a remote chain.
 *
 * @throws StateNotLoaded if it must be waited for. What runs an opcode asks before it changes anything.
 */
export function loaded<T>(value: Awaitable<T>): T {
  if (value instanceof Promise) throw new StateNotLoaded(value)
  return value
}

/** Runs work that reads state by {@link loaded} before it changes anything, again and again until all of it is loaded. */
export function retryUntilLoaded<T>(work: () => T): Awaitable<T> {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StateNotLoaded)) throw error
    return error.arrival.then(() => retryUntilLoaded(work))
  }
}
