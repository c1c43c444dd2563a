import { RLP } from '@ethereumjs/rlp'
import type { Database } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'
import type { WriteBatch } from '../../storage/writeBatch.js'
import { bytesKey } from './byteCache.js'

/**
 * Addresses and slots that came into a state. The tries know them by their hashes only; what lists accounts and
 * storage, a dump for one, needs the keys themselves.
 */
export class Preimages {
  readonly #slots = new Map<string, { address: Uint8Array; slots: Map<string, Uint8Array> }>()

  get isEmpty(): boolean {
    return this.#slots.size === 0
  }

  /** Takes up a 20-byte address, and a 32-byte slot of it if one came. */
  add(address: Uint8Array, slot?: Uint8Array): void {
    const key = bytesKey(address)
    let known = this.#slots.get(key)
    if (known === undefined) {
      known = { address, slots: new Map() }
      this.#slots.set(key, known)
    }
    if (slot !== undefined) known.slots.set(bytesKey(slot), slot)
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
    return RLP.encode([...this.entries()].map(([address, slots]) => [address, ...slots]))
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

/** Where preimages are kept: beside each state root those that came with it. */
export interface PreimageStoreParts {
  database: Pick<Database, 'get'>
  keyspace: Pick<Keyspace, 'preimages'>
}

/** Adds the preimages that came with a state root to a batch; a root that was reached before keeps those it has. */
export function stagePreimages(
  { database, keyspace }: PreimageStoreParts,
  batch: WriteBatch,
  root: Uint8Array,
  preimages: Preimages,
): void {
  if (preimages.isEmpty) return
  const key = keyspace.preimages(root)
  const known = database.get(key)
  if (known !== undefined) preimages.addEncoded(known)
  batch.put(key, preimages.encode())
}

/** All addresses and slots that were ever part of a state of a network. */
export async function loadPreimages(
  database: Pick<Database, 'iterate'>,
  keyspace: Pick<Keyspace, 'allPreimages'>,
): Promise<Preimages> {
  const all = new Preimages()
  for await (const [, bytes] of database.iterate(keyspace.allPreimages())) all.addEncoded(bytes)
  return all
}
