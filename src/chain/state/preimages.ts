import { RLP } from '@ethereumjs/rlp'
import type { Database } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import type { WriteBatch } from '../../storage/writeBatch.js'
import { keccak256 } from '../keccak.js'
import { bytesKey } from './byteCache.js'
import { encodeList, encodeString } from '../rlp.js'

/** Addresses and slots in a row of the database, at most: a row is read and written in one piece. */
const KEYS_IN_ROW = 1024

/**
 * Addresses and slots that came into a state. The tries know them by their hashes only; what lists accounts and
 * storage, a dump for one, needs the keys themselves.
 */
export class Preimages {
  readonly #slots = new Map<string, { address: Uint8Array; slots: Map<string, Uint8Array> }>()

  #count = 0

  /** How many addresses and slots there are. */
  get count(): number {
    return this.#count
  }

  /** Takes up a 20-byte address, and a 32-byte slot of it if one came. */
  add(address: Uint8Array, slot?: Uint8Array): void {
    const key = bytesKey(address)
    let known = this.#slots.get(key)
    if (known === undefined) {
      known = { address, slots: new Map() }
      this.#slots.set(key, known)
      this.#count++
    }
    if (slot === undefined) return
    const { size } = known.slots
    known.slots.set(bytesKey(slot), slot)
    this.#count += known.slots.size - size
  }

  /** The same in parts of at most so many addresses and slots; an address is in each part that has slots of it. */
  *inParts(most: number): Iterable<Preimages> {
    if (this.#count <= most) {
      yield this
      return
    }
    let part = new Preimages()
    for (const { address, slots } of this.#slots.values()) {
      for (const slot of slots.size === 0 ? [undefined] : slots.values()) {
        part.add(address, slot)
        // Another slot may bring its address with it.
        if (part.#count + 2 <= most) continue
        yield part
        part = new Preimages()
      }
    }
    if (part.#count > 0) yield part
  }

  /** The slots of a 20-byte address. */
  slotsOf(address: Uint8Array): Uint8Array[] {
    return [...(this.#slots.get(bytesKey(address))?.slots.values() ?? [])]
  }

  /** Each address with its slots. */
  *entries(): Iterable<[address: Uint8Array, slots: Uint8Array[]]> {
    for (const { address, slots } of this.#slots.values()) yield [address, [...slots.values()]]
  }

  /** RLP of a list of lists: an address and its slots. */
  encode(): Uint8Array {
    const entries = [...this.entries()]
    return encodeList(
      entries.map(([address, slots]) => encodeList([encodeString(address), ...slots.map(encodeString)])),
    )
  }

  /** Takes up what {@link encode} wrote. */
  addEncoded(bytes: Uint8Array): void {
    for (const entry of RLP.decode(bytes) as Uint8Array[][]) {
      const [address, ...slots] = entry
      if (address === undefined) continue
      this.add(address)
      for (const slot of slots) this.add(address, slot)
    }
  }
}

/** Adds the preimages that came with a state to a batch. */
export function stagePreimages(
  keyspace: Pick<Keyspace, 'preimages'>,
  batch: WriteBatch,
  preimages: Preimages,
): void {
  if (preimages.count === 0) return
  for (const part of preimages.inParts(KEYS_IN_ROW)) {
    const encoded = part.encode()
    batch.put(keyspace.preimages(keccak256(encoded)), encoded)
  }
}

/** All addresses and slots that were ever part of a state of a network. */
export async function loadPreimages(
  database: Pick<Database, 'iterate'>,
  keyspace: Pick<Keyspace, 'allPreimages'>,
): Promise<Preimages> {
  const all = new Preimages()
  const slice = new TimeSlice()
  for await (const [, bytes] of database.iterate(keyspace.allPreimages())) {
    all.addEncoded(bytes)
    await slice.pause()
  }
  return all
}
