import type { Account, Address } from '@ethereumjs/util'
import { hexToBytes } from '../../encoding/hex.js'
import { LargeMap } from '../../encoding/largeMap.js'
import {
  type Awaitable,
  type Steps,
  TimeSlice,
  runInSlices,
  runToCompletion,
} from '../../encoding/timeSlice.js'
import {
  type SlotKey,
  addressKey,
  bytesKey,
  isEmptyRecord,
  isSameAddress,
  slotKeyOf,
} from '../state/account.js'
import type { WorkingState } from '../state/workingState.js'
import type { ForkRules } from '../types.js'
import { ContractSender } from '../vm/senderState.js'

/** Touching this account survives a revert: an accident in one block that became a rule (EIP-716). */
const RIPEMD160 = bytesKey(Uint8Array.from({ length: 20 }, (_, index) => (index === 19 ? 3 : 0)))

/** The slots of an account by key name, with the transaction in which each was last warm. */
interface WarmSlots {
  readonly address: Uint8Array
  readonly names: LargeMap<number>
}

const NO_SLOTS: WarmSlots = { address: new Uint8Array(0), names: new LargeMap() }

/** Number of notes after which the collections are emptied. */
const MAX_NOTED = 4_096
/** Entries reverted between two yields. */
const REVERTED_IN_STEP = 512

/** The part of the EVM that a journal needs. */
export interface JournalHost {
  /** The state that the EVM works on. */
  readonly state: WorkingState
  readonly common: ForkRules
}

/**
 * The accounts and slots that a transaction has warmed (EIP-2929) and touched (EIP-161), without those of reverted
 * frames.
 *
 * It replaces ethereumjs' Journal, which makes six collections per message and keeps them until the transaction ends:
 * half a gigabyte for a transaction with 200,000 calls. Here there is one map of warm addresses, one map of warm slots
 * per account, and lists of additions; a checkpoint is the lengths of these lists. Everything but `cleanup` and a long
 * `revert` is synchronous.
 */
export class FrameJournal {
  readonly #host: JournalHost
  /** Map keys of the fork's precompiles by their digits: each transaction warms all of them. */
  readonly #precompiles: ReadonlyMap<string, string>
  /** Transaction counter. Notes of earlier transactions are stale and need not be removed. */
  #transaction = 1
  /** Notes made since the collections were last emptied. */
  #noted = 0
  /** The transaction in which each address was last warm, or touched. */
  readonly #warm = new Map<string, number>()
  readonly #warmSlots = new Map<string, WarmSlots>()
  readonly #touched = new Map<string, number>()
  /** The account whose slots were used last: opcodes tend to use the same account many times in a row. */
  #last = NO_SLOTS
  /** Addresses in the order in which they became warm. */
  #warmed: string[] = []
  /** Slots in the order in which they became warm. */
  #warmedSlots: { of: WarmSlots; name: string }[] = []
  /** Addresses in the order in which they were touched. */
  #touches: Address[] = []
  /** Lengths of the three lists, in turn. */
  #checkpoints: number[] = []

  /**
   * @param precompiles - addresses of the fork's precompiles, 40 lower-case hexadecimal digits each
   */
  constructor(host: JournalHost, precompiles: readonly string[]) {
    this.#host = host
    this.#precompiles = new Map(precompiles.map((digits) => [digits, keyOfDigits(digits)]))
  }

  /** Writes an account. A nonce wraps at 64 bits and a balance at 256 bits, as in geth. */
  async putAccount(address: Address, account: Account | undefined): Promise<void> {
    this.touchAddress(address)
    if (account === undefined) return this.#host.state.deleteAccount(address)
    const { nonce, balance } = account
    await this.#host.state.writeAccount(address.bytes, {
      nonce: BigInt.asUintN(64, nonce),
      balance: BigInt.asUintN(256, balance),
      codeHash: account instanceof ContractSender ? account.deployedCodeHash : account.codeHash,
    })
  }

  deleteAccount(address: Address): Promise<void> {
    this.touchAddress(address)
    return this.#host.state.deleteAccount(address)
  }

  /** Marks the account for removal if it is empty when the transaction ends (EIP-161). */
  touchAddress(address: Address): void {
    const key = addressKey(address.bytes)
    if (this.#touched.get(key) === this.#transaction) return
    this.#touched.set(key, this.#transaction)
    this.#touches.push(address)
  }

  checkpoint(): Promise<void> {
    this.#checkpoints.push(this.#warmed.length, this.#warmedSlots.length, this.#touches.length)
    return this.#host.state.checkpoint()
  }

  commit(): Promise<void> {
    this.#checkpoints.pop()
    this.#checkpoints.pop()
    this.#checkpoints.pop()
    return this.#host.state.commit()
  }

  /** Runs in slices if there is much to revert; otherwise synchronous. */
  revert(): Awaitable<void> {
    const touches = this.#touches.splice(this.#checkpoints.pop() ?? 0)
    const slots = this.#warmedSlots.splice(this.#checkpoints.pop() ?? 0)
    const warmed = this.#warmed.splice(this.#checkpoints.pop() ?? 0)
    void this.#host.state.revert()
    const steps = this.#revertNotes(warmed, slots, touches)
    if (warmed.length + slots.length + touches.length > MAX_NOTED) return runInSlices(steps, new TimeSlice())
    runToCompletion(steps)
  }

  *#revertNotes(
    warmed: readonly string[],
    slots: readonly { of: WarmSlots; name: string }[],
    touches: readonly Address[],
  ): Steps<void> {
    for (const [index, key] of warmed.entries()) {
      this.#warm.delete(key)
      if (index % REVERTED_IN_STEP === 0) yield
    }
    for (const [index, { of, name }] of slots.entries()) {
      of.names.delete(name)
      if (index % REVERTED_IN_STEP === 0) yield
    }
    for (const [index, address] of touches.entries()) {
      const key = addressKey(address.bytes)
      if (key === RIPEMD160) this.#touches.push(address)
      else this.#touched.delete(key)
      if (index % REVERTED_IN_STEP === 0) yield
    }
  }

  /** Forgets everything. */
  cleanJournal(): void {
    this.#transaction++
    this.#noted += this.#warmed.length + this.#warmedSlots.length + this.#touches.length
    if (this.#noted > MAX_NOTED) this.#emptyCollections()
    forget(this.#warmed)
    forget(this.#warmedSlots)
    forget(this.#touches)
    forget(this.#checkpoints)
  }

  /** Done rarely: emptying reallocates the tables, and the next transaction usually notes the same. */
  #emptyCollections(): void {
    this.#noted = 0
    this.#warm.clear()
    this.#warmSlots.clear()
    this.#touched.clear()
    this.#last = NO_SLOTS
  }

  /** Ends a transaction: removes touched empty accounts (EIP-161) and forgets everything. */
  cleanup(): Awaitable<void> {
    if (this.#touches.length > MAX_NOTED) return this.#cleanUpMany()
    const { state, common } = this.#host
    const empty: Address[] = []
    const away: Promise<unknown>[] = []
    if (common.gteHardfork('spuriousDragon')) {
      for (const address of this.#touches) {
        const record = state.readAccount(address.bytes)
        if (record instanceof Promise) away.push(record)
        else if (record !== undefined && isEmptyRecord(record)) empty.push(address)
      }
    }
    if (away.length > 0) return Promise.all(away).then(() => this.cleanup())
    this.cleanJournal()
    if (empty.length === 0) return undefined
    return Promise.all(empty.map((address) => state.deleteAccount(address))).then(() => undefined)
  }

  /** {@link cleanup} of a transaction that touched many accounts. */
  async #cleanUpMany(): Promise<void> {
    const { state, common } = this.#host
    const touched = common.gteHardfork('spuriousDragon') ? this.#touches.slice() : []
    this.cleanJournal()
    const slice = new TimeSlice()
    for (const address of touched) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      const record = await state.readAccount(address.bytes)
      if (record !== undefined && isEmptyRecord(record)) await state.deleteAccount(address)
    }
  }

  /**
   * @param digits - 40 lower-case hexadecimal digits, with or without a prefix
   */
  addAlwaysWarmAddress(digits: string): void {
    const precompile = this.#precompiles.get(digits)
    if (precompile === undefined) this.#noted++
    this.#warm.set(precompile ?? keyOfDigits(digits), this.#transaction)
  }

  /** Warms the fork's precompiles, as in every transaction but no system call. */
  warmPrecompiles(): void {
    for (const key of this.#precompiles.values()) this.#warm.set(key, this.#transaction)
  }

  /**
   * @param slotDigits - 64 lower-case hexadecimal digits, with or without a prefix
   */
  addAlwaysWarmSlot(digits: string, slotDigits: string): void {
    const address = hexToBytes(digits)
    this.#warm.set(addressKey(address), this.#transaction)
    this.#slotsOf(address).names.set(keyOfDigits(slotDigits), this.#transaction)
    this.#noted++
  }

  /** Warms a 20-byte address. @returns whether it was warm already */
  warmAddress(address: Uint8Array): boolean {
    const key = addressKey(address)
    if (this.#warm.get(key) === this.#transaction) return true
    this.#warm.set(key, this.#transaction)
    this.#warmed.push(key)
    return false
  }

  /** Warms a slot and its account. @returns whether the slot was warm already */
  warmSlot(address: Uint8Array, { name }: SlotKey): boolean {
    const slots = this.#slotsOf(address)
    if (slots.names.get(name) === this.#transaction) return true
    this.warmAddress(address)
    slots.names.set(name, this.#transaction)
    this.#warmedSlots.push({ of: slots, name })
    return false
  }

  isWarmedAddress(address: Uint8Array): boolean {
    const key = addressKey(address)
    return this.#warm.get(key) === this.#transaction
  }

  addWarmedAddress(address: Uint8Array): void {
    this.warmAddress(address)
  }

  isWarmedStorage(address: Uint8Array, slot: Uint8Array): boolean {
    return this.#slotsOf(address).names.get(bytesKey(slot)) === this.#transaction
  }

  addWarmedStorage(address: Uint8Array, slot: Uint8Array): void {
    this.warmSlot(address, slotKeyOf(slot))
  }

  #slotsOf(address: Uint8Array): WarmSlots {
    if (isSameAddress(this.#last.address, address)) return this.#last
    const key = addressKey(address)
    let slots = this.#warmSlots.get(key)
    if (slots === undefined) {
      slots = { address: address.slice(), names: new LargeMap() }
      this.#noted++
      this.#warmSlots.set(key, slots)
    }
    this.#last = slots
    return slots
  }
}

/** Empties a list. Setting the length calls into V8's runtime, so short lists are popped. */
function forget(list: unknown[]): void {
  if (list.length > SHORT_LIST) list.length = 0
  else while (list.length > 0) list.pop()
}

const SHORT_LIST = 16

function keyOfDigits(digits: string): string {
  return bytesKey(hexToBytes(digits))
}
