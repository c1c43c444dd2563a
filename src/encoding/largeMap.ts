/** Number of keys in the first map, and of the maps that hold further ones. */
const KEYS_IN_FIRST_MAP = 65_536
const FURTHER_MAPS = 64
const SHARES = 4093
/**
 * The map that holds each share of the keys. The last one holds almost twice as many as the first, so that the maps do
 * not all double their tables at the same time.
 */
const mapOfShare = Uint8Array.from(
  { length: SHARES },
  (_, share) => FURTHER_MAPS * Math.log2(1 + share / SHARES),
)

/**
 * A map for millions of strings. A plain map takes a tenth of a second to double the table of a million keys; the
 * tables of this one stay small. Does not keep the order of insertion.
 */
export class LargeMap<T> {
  readonly #first = new Map<string, T>()
  #further: readonly Map<string, T>[] | undefined

  get size(): number {
    return (this.#further ?? []).reduce((size, map) => size + map.size, this.#first.size)
  }

  get(key: string): T | undefined {
    const found = this.#first.get(key)
    return found === undefined && this.#further !== undefined ? mapOf(this.#further, key).get(key) : found
  }

  set(key: string, value: T): void {
    if (this.#first.size < KEYS_IN_FIRST_MAP && this.#further === undefined) this.#first.set(key, value)
    else if (this.#first.has(key)) this.#first.set(key, value)
    else {
      this.#further ??= Array.from({ length: FURTHER_MAPS }, () => new Map<string, T>())
      mapOf(this.#further, key).set(key, value)
    }
  }

  *[Symbol.iterator](): Generator<[string, T]> {
    yield* this.#first
    for (const map of this.#further ?? []) yield* map
  }

  delete(key: string): boolean {
    return this.#first.delete(key) || (this.#further !== undefined && mapOf(this.#further, key).delete(key))
  }
}

/** Spreads keys over maps by all of their characters, because callers choose the keys. */
function mapOf<T>(maps: readonly Map<string, T>[], key: string): Map<string, T> {
  let sum = 0
  for (let index = 0; index < key.length; index++) sum = (sum * 31 + key.charCodeAt(index)) | 0
  return maps[mapOfShare[(sum >>> 0) % SHARES]!]!
}

/** A set for millions of strings; see {@link LargeMap}. */
export class LargeSet {
  readonly #keys = new LargeMap<true>()

  get size(): number {
    return this.#keys.size
  }

  has(key: string): boolean {
    return this.#keys.get(key) !== undefined
  }

  add(key: string): void {
    this.#keys.set(key, true)
  }

  delete(key: string): boolean {
    return this.#keys.delete(key)
  }
}
