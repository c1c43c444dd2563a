import type { Account, Address } from '@ethereumjs/util'
import type { WorkingState } from '../state/workingState.js'
import { atHand } from './atHand.js'
import type { Interpreter } from './runState.js'

type LibraryEnvironment = Interpreter['_env']

/** What a frame knows from its beginning: all but the account whose code runs. */
export type FrameParts = Omit<LibraryEnvironment, 'contract'>

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

  constructor(parts: FrameParts, state: WorkingState) {
    this.address = parts.address
    this.caller = parts.caller
    this.callData = parts.callData
    this.callValue = parts.callValue
    this.code = parts.code
    this.isStatic = parts.isStatic
    this.isCreate = parts.isCreate
    this.depth = parts.depth
    this.gasPrice = parts.gasPrice
    this.origin = parts.origin
    this.block = parts.block
    this.codeAddress = parts.codeAddress
    this.gasRefund = parts.gasRefund
    this.blobVersionedHashes = parts.blobVersionedHashes
    this.createdAddresses = parts.createdAddresses
    this.#state = state
  }

  get contract(): Account {
    return (this.#contract ??= atHand(this.#state.accountAt(this.address.bytes)))
  }

  set contract(account: Account) {
    this.#contract = account
  }

  /** The account may have changed. */
  refresh(): void {
    this.#contract = undefined
  }
}
