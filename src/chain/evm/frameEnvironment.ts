import type { Message } from '@ethereumjs/evm'
import { createZeroAddress, type Account, type Address } from '@ethereumjs/util'
import type { WorkingState } from '../state/workingState.js'
import { loaded } from './loadedState.js'
import type { Interpreter } from './interpreter.js'

type LibraryEnvironment = Interpreter['_env']

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
