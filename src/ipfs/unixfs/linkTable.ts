import { CID } from 'multiformats/cid'
import { bytesOfText, textOfBytes } from '../../encoding/byteText.js'
import type { StoredNode, UnixfsLink } from './node.js'

/** Links of a directory, in any representation, such as an array. */
export interface LinkList extends Iterable<UnixfsLink> {
  readonly length: number
  at(index: number): UnixfsLink | undefined
}

const FIRST_PAGE_LENGTH = 256
const PAGE_LENGTH = 65_536
/** A position is page number × {@link POSITIONS_PER_PAGE} + offset. */
const POSITIONS_PER_PAGE = 2 ** 32
/** Fixed part of a record, in bytes: the lengths of name and CID, and the size. */
const FIXED_LENGTH = 4 + 4 + 8

/**
 * Packs links into pages of bytes and finds them by name: an upload may have a million, and an object for each would
 * take several times the memory.
 */
export class LinkTable implements LinkList {
  readonly #pages: Buffer[] = []
  #used = 0
  readonly #positions: number[] = []
  /** Hashes of the names: all of them are needed at once when the table grows. */
  readonly #hashes: number[] = []
  /** Open addressing by name hash: indexes into `positions` plus one; 0 is free. */
  #slots = new Uint32Array(8)

  get length(): number {
    return this.#positions.length
  }

  has(name: string): boolean {
    const nameBytes = bytesOfText(name)
    return this.#slots[this.#findSlot(nameBytes, hashOf(nameBytes))] !== 0
  }

  /** Adds a link; the name must be new. */
  put(name: string, { cid, size }: StoredNode): void {
    const nameBytes = bytesOfText(name)
    const page = this.#reserve(FIXED_LENGTH + nameBytes.length + cid.bytes.length)
    const start = this.#used
    page.writeUInt32LE(nameBytes.length, start)
    page.writeUInt32LE(cid.bytes.length, start + 4)
    page.writeDoubleLE(size, start + 8)
    page.set(nameBytes, start + FIXED_LENGTH)
    page.set(cid.bytes, start + FIXED_LENGTH + nameBytes.length)
    this.#used += FIXED_LENGTH + nameBytes.length + cid.bytes.length
    this.#positions.push((this.#pages.length - 1) * POSITIONS_PER_PAGE + start)
    const hash = hashOf(nameBytes)
    this.#hashes.push(hash)
    this.#slots[this.#findSlot(nameBytes, hash)] = this.length
    if (this.length * 2 > this.#slots.length) this.#growSlots()
  }

  at(index: number): UnixfsLink | undefined {
    const position = this.#positions[index]
    if (position === undefined) return undefined
    const { page, start, name } = this.#locate(position)
    const cidStart = start + FIXED_LENGTH + name.length
    const cid = page.subarray(cidStart, cidStart + page.readUInt32LE(start + 4))
    return {
      name: textOfBytes(name),
      cid: CID.decode(Uint8Array.from(cid)),
      size: page.readDoubleLE(start + 8),
    }
  }

  *[Symbol.iterator](): Generator<UnixfsLink> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as UnixfsLink
  }

  /** Returns the page for the next record, of `length` bytes. */
  #reserve(length: number): Buffer {
    const last = this.#pages.at(-1)
    if (last !== undefined && this.#used + length <= last.length) return last
    const grown = Math.min(PAGE_LENGTH, (last?.length ?? FIRST_PAGE_LENGTH / 2) * 2)
    const page = Buffer.allocUnsafeSlow(Math.max(grown, length))
    this.#pages.push(page)
    this.#used = 0
    return page
  }

  #locate(position: number): { page: Buffer; start: number; name: Buffer } {
    const page = this.#pages[Math.floor(position / POSITIONS_PER_PAGE)] as Buffer
    const start = position % POSITIONS_PER_PAGE
    const nameStart = start + FIXED_LENGTH
    return { page, start, name: page.subarray(nameStart, nameStart + page.readUInt32LE(start)) }
  }

  /** Returns the slot of a name, or the free slot where it belongs. */
  #findSlot(name: Uint8Array, hash: number): number {
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot] ?? 0
      if (place === 0 || this.#locate(this.#positions[place - 1] as number).name.equals(name)) return slot
    }
  }

  #growSlots(): void {
    const slots = new Uint32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let index = 0; index < this.length; index++) {
      let slot = (this.#hashes[index] as number) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = index + 1
    }
    this.#slots = slots
  }
}

/** FNV-1a, 32 bits. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
