import { latin1 } from '../../encoding/bytes.js'

/** Bytes as a map's key. */
export function bytesKey(bytes: Uint8Array): string {
  return latin1(bytes)
}

/** What a cache keeps, with its size in bytes. */
interface Sized {
  readonly length: number
}

/** What an entry costs beside its bytes: its key, the map's slot, the array's headers in and beside V8's heap. */
const ENTRY_OVERHEAD = 400

/**
 * Byte strings, or what is made of them, by key, within a limit of memory; what was not used for long goes first.
 *
 * Two generations stand in for an exact order of use: when the young one has half of the limit, it becomes the old
 * one, and what nobody asked for since then is gone. A hit costs one or two look-ups and no bookkeeping.
 */
export class ByteCache<Key extends string | number = string, Value extends Sized = Uint8Array> {
  readonly #generationBytes: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #youngBytes = 0

  constructor(limitBytes: number) {
    this.#generationBytes = limitBytes / 2
  }

  get(key: Key): Value | undefined {
    const found = this.#young.get(key)
    if (found !== undefined) return found
    const aged = this.#old.get(key)
    if (aged !== undefined) this.set(key, aged)
    return aged
  }

  /** Gives what a key stands for and forgets it. */
  take(key: Key): Value | undefined {
    const found = this.#young.get(key)
    if (found === undefined) {
      const aged = this.#old.get(key)
      if (aged !== undefined) this.#old.delete(key)
      return aged
    }
    this.#young.delete(key)
    this.#old.delete(key)
    this.#youngBytes -= found.length + ENTRY_OVERHEAD
    return found
  }

  /** Keeps bytes as they are given: they own their memory and stay unchanged. */
  set(key: Key, value: Value): void {
    const before = this.#young.get(key)
    this.#young.set(key, value)
    this.#youngBytes += before === undefined ? value.length + ENTRY_OVERHEAD : value.length - before.length
    if (this.#youngBytes < this.#generationBytes) return
    this.#old = this.#young
    this.#young = new Map()
    this.#youngBytes = 0
  }
}
