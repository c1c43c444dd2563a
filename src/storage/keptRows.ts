/** Bytes of a slot: the length of the key, that of the value, then both of them. */
const SLOT_BYTES = 64
const HEAD_BYTES = 2
/** The slots that a key may be in. */
const SLOTS_OF_SET = 4
const SET_BYTES = SLOT_BYTES * SLOTS_OF_SET

/**
 * Short rows as they were read, within a fixed memory: tens of thousands of rows lead to the blocks and states of a chain,
 * and as entries of a map each would take some 400 bytes.
 *
 * A table of sets with four slots each. A key belongs to one set; a row that comes to a full one takes the place of
 * another there, in turns.
 */
export class KeptRows {
  readonly #bytes: Uint8Array
  readonly #setCount: number
  #turn = 0

  /** @param limitBytes - what the table takes: a power of two, 256 at least */
  constructor(limitBytes: number) {
    this.#bytes = new Uint8Array(limitBytes)
    this.#setCount = limitBytes / SET_BYTES
  }

  /** A copy of the value that is kept of a key, which has a byte at least. */
  get(key: Uint8Array): Uint8Array | undefined {
    const slot = this.#find(key)
    if (slot === undefined) return undefined
    const start = slot + HEAD_BYTES + key.length
    return this.#bytes.slice(start, start + this.#bytes[slot + 1]!)
  }

  /** Keeps a row, unless it is too long for a slot: then nothing is kept of its key. */
  keep(key: Uint8Array, value: Uint8Array): void {
    if (HEAD_BYTES + key.length + value.length > SLOT_BYTES) {
      this.forget(key)
      return
    }
    const slot = this.#find(key) ?? this.#freeSlot(key)
    this.#bytes[slot] = key.length
    this.#bytes[slot + 1] = value.length
    this.#bytes.set(key, slot + HEAD_BYTES)
    this.#bytes.set(value, slot + HEAD_BYTES + key.length)
  }

  /** Forgets what is kept of a key. */
  forget(key: Uint8Array): void {
    const slot = this.#find(key)
    if (slot !== undefined) this.#bytes[slot] = 0
  }

  #find(key: Uint8Array): number | undefined {
    const first = this.#setOf(key)
    for (let slot = first; slot < first + SET_BYTES; slot += SLOT_BYTES) {
      if (this.#bytes[slot] === key.length && this.#holds(slot + HEAD_BYTES, key)) return slot
    }
    return undefined
  }

  #holds(start: number, key: Uint8Array): boolean {
    for (let i = 0; i < key.length; i++) if (this.#bytes[start + i] !== key[i]) return false
    return true
  }

  #freeSlot(key: Uint8Array): number {
    const first = this.#setOf(key)
    for (let slot = first; slot < first + SET_BYTES; slot += SLOT_BYTES) {
      if (this.#bytes[slot] === 0) return slot
    }
    this.#turn = (this.#turn + 1) % SLOTS_OF_SET
    return first + this.#turn * SLOT_BYTES
  }

  /** Where the set of a key begins, by its FNV-1a hash of 32 bits. */
  #setOf(key: Uint8Array): number {
    let hash = 0x811c9dc5
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key[i]!, 0x01000193)
    return ((hash ^ (hash >>> 15)) & (this.#setCount - 1)) * SET_BYTES
  }
}
