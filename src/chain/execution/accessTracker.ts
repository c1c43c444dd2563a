import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import type { AccessListEntry } from './callObject.js'
import type { RunState } from './interpreter.js'

const SLOAD = 0x54
const SSTORE = 0x55
/** Opcodes with an address on top of the stack: BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SELFDESTRUCT. */
const ADDRESS_ON_TOP: ReadonlySet<number> = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff])
/** Opcodes with an address below the gas: CALL, CALLCODE, DELEGATECALL, STATICCALL. */
const ADDRESS_BELOW_GAS: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])
const ADDRESS_MASK = 2n ** 160n - 1n

/**
 * Collects what an execution touches (geth: eth/tracers/logger/access_list_tracer.go).
 *
 * The sender, the recipient, precompiles and authorities are warm anyway and left out; one of them is listed all the
 * same if a storage slot of it was used.
 */
export class AccessTracker {
  /** By address and slot, both as digits. */
  readonly #accessed = new Map<string, Set<string>>()
  readonly #excluded: ReadonlySet<string>

  /**
   * @param start - what is listed from the beginning
   * @param excluded - addresses as 40 lower-case hexadecimal digits
   */
  constructor(start: readonly AccessListEntry[], excluded: ReadonlySet<string>) {
    this.#excluded = excluded
    for (const { address, storageKeys } of start) {
      const key = bytesToPlainHex(address)
      this.#addAddress(key)
      for (const slot of storageKeys) this.#slots(key).add(bytesToPlainHex(slot))
    }
  }

  /** Sees an opcode before it runs. */
  observe(opcode: number, { stack, env }: RunState): void {
    if (opcode === SLOAD || opcode === SSTORE) {
      const slot = stack.peek(1)[0] ?? 0n
      this.#slots(bytesToPlainHex(env.address.bytes)).add(slot.toString(16).padStart(64, '0'))
    } else if (ADDRESS_ON_TOP.has(opcode)) {
      this.#addAddress(toAddress(stack.peek(1)[0] ?? 0n))
    } else if (ADDRESS_BELOW_GAS.has(opcode)) {
      this.#addAddress(toAddress(stack.peek(2)[1] ?? 0n))
    }
  }

  /** What was touched, sorted by address and slot. */
  list(): AccessListEntry[] {
    return [...this.#accessed]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([address, slots]) => ({
        address: hexToBytes(address),
        storageKeys: [...slots].sort().map(hexToBytes),
      }))
  }

  /** How many addresses and slots were touched; a list only ever grows. */
  size(): number {
    let size = this.#accessed.size
    for (const slots of this.#accessed.values()) size += slots.size
    return size
  }

  #addAddress(address: string): void {
    if (!this.#excluded.has(address)) this.#slots(address)
  }

  #slots(address: string): Set<string> {
    let slots = this.#accessed.get(address)
    if (slots === undefined) {
      slots = new Set()
      this.#accessed.set(address, slots)
    }
    return slots
  }
}

function toAddress(word: bigint): string {
  return (word & ADDRESS_MASK).toString(16).padStart(40, '0')
}
