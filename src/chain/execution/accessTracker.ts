import { addressKey } from '../state/addressKey.js'
import { isSameAddress } from '../state/entries.js'
import { slotKeyOf, type SlotKey } from '../state/slotKey.js'
import type { AccessListEntry } from './callObject.js'
import type { RunState } from './runState.js'
import { slotOfWord } from './slotWords.js'
import { stackItem } from './stackItems.js'
import { wordToAddress } from './words.js'

const SLOAD = 0x54
const SSTORE = 0x55
/** Opcodes with an address on top of the stack: BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SELFDESTRUCT. */
const ADDRESS_ON_TOP = [0x31, 0x3b, 0x3c, 0x3f, 0xff]
/** Opcodes with an address below the gas: CALL, CALLCODE, DELEGATECALL, STATICCALL. */
const ADDRESS_BELOW_GAS = [0xf1, 0xf2, 0xf4, 0xfa]

/** By the opcode: how many items of the stack it takes to reach its address; 0 for those without one. */
const addressReach = new Uint8Array(256)
for (const opcode of ADDRESS_ON_TOP) addressReach[opcode] = 1
for (const opcode of ADDRESS_BELOW_GAS) addressReach[opcode] = 2

/** What was touched of one account. */
interface TouchedAccount {
  /** 20 bytes. */
  readonly address: Uint8Array
  /** By their names, which sort as their bytes do. */
  readonly slots: Map<string, Uint8Array>
}

/**
 * Collects what an execution touches (geth: eth/tracers/logger/access_list_tracer.go).
 *
 * The sender, the recipient, precompiles and authorities are warm anyway and left out; one of them is listed all the
 * same if a storage slot of it was used.
 */
export class AccessTracker {
  /** By map keys of addresses, which sort as their bytes do. */
  readonly #accessed = new Map<string, TouchedAccount>()
  /** Whose slots were used last. */
  #last: TouchedAccount | undefined
  /** Whether a 20-byte address is left out. */
  readonly excluded: (address: Uint8Array) => boolean

  /**
   * @param start - what is listed from the beginning
   * @param excluded - whether a 20-byte address is left out
   */
  constructor(start: readonly AccessListEntry[], excluded: (address: Uint8Array) => boolean) {
    this.excluded = excluded
    for (const { address, storageKeys } of start) {
      this.#addAddress(address)
      for (const slot of storageKeys) this.#addSlot(address, slotKeyOf(slot))
    }
  }

  /** Sees an opcode before it runs; one that the fork does not have may find too little on the stack. */
  observe(opcode: number, { stack, env }: RunState): void {
    if (opcode === SLOAD || opcode === SSTORE) {
      this.#addSlot(env.address.bytes, slotOfWord(stackItem(stack, 0)))
      return
    }
    const reach = addressReach[opcode] as number
    if (reach > 0 && stack.length >= reach) this.#addAddress(wordToAddress(stackItem(stack, reach - 1)))
  }

  /** What was touched, sorted by address and slot. */
  list(): AccessListEntry[] {
    return sortedValues(this.#accessed).map(({ address, slots }) => ({
      address,
      storageKeys: sortedValues(slots),
    }))
  }

  /** How many addresses and slots were touched; a list only ever grows. */
  size(): number {
    let size = this.#accessed.size
    for (const { slots } of this.#accessed.values()) size += slots.size
    return size
  }

  #addAddress(address: Uint8Array): void {
    if (!this.excluded(address)) this.#account(address)
  }

  #addSlot(address: Uint8Array, { bytes, name }: SlotKey): void {
    this.#account(address).slots.set(name, bytes)
  }

  #account(address: Uint8Array): TouchedAccount {
    if (this.#last !== undefined && isSameAddress(this.#last.address, address)) return this.#last
    const key = addressKey(address)
    let account = this.#accessed.get(key)
    if (account === undefined) {
      account = { address, slots: new Map() }
      this.#accessed.set(key, account)
    }
    this.#last = account
    return account
  }
}

function sortedValues<T>(entries: ReadonlyMap<string, T>): T[] {
  if (entries.size < 2) return [...entries.values()]
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}
