import { RLP } from '@ethereumjs/rlp'
import { expect, it } from 'vitest'
import { NodeRecord, storedNode } from './nodeRecord.js'

const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

/** A branch with hashes at some indices and one embedded child, with room for links after its RLP. */
function branchOf(places: readonly number[]): NodeRecord {
  const items = Array.from({ length: 17 }, (_, i) => (places.includes(i) ? hash(i + 1) : new Uint8Array()))
  const rlp = RLP.encode(items.with(7, Uint8Array.of(0x20, 0x01)))
  const bytes = new Uint8Array(rlp.length + 6 * places.length)
  bytes.set(rlp)
  return new NodeRecord(bytes, rlp.length)
}

const leaf = (): NodeRecord => new NodeRecord(new Uint8Array(40).fill(0xe7), 40)

/** The record as read back from its row. */
const stored = ({ bytes }: NodeRecord): NodeRecord => storedNode(Uint8Array.from(bytes), 1)

it('uses all six bytes of a link, and derives the number of links from the RLP', () => {
  const record = branchOf([0, 3, 15])
  const numbers = [1, 5 * 2 ** 30 + 123_456_789, 2 ** 48 - 1]
  for (const [index, number] of numbers.entries()) record.link(index, number)
  const found = stored(record)
  expect(found.bytes).toEqual(record.bytes)
  expect(found.rlp).toEqual(record.rlp)
  expect(numbers.map((_, index) => found.linkAt(index))).toEqual(numbers)
})

it('links to children in memory until they are written', () => {
  const [parent, child] = [branchOf([2, 4]), leaf()]
  parent.link(0, child)
  parent.link(1, 77)
  expect([parent.linkAt(0), parent.linkAt(1)]).toEqual([child, 77])
  child.assign(1000)
  parent.assign(1001)
  expect(parent.linkAt(0)).toBe(child)
  expect([child.settle(), parent.settle()]).toEqual([1000, 1001])
  expect([parent.linkAt(0), parent.linkAt(1)]).toEqual([1000, 77])
  expect([stored(parent).linkAt(0), stored(parent).linkAt(1)]).toEqual([1000, 77])
})

it('takes another number if the first write failed', () => {
  const [parent, child] = [branchOf([9]), leaf()]
  parent.link(0, child)
  for (const start of [500, 9000]) {
    child.assign(start)
    parent.assign(start + 1)
  }
  expect([child.number, parent.number]).toEqual([undefined, undefined])
  for (const record of [child, parent]) record.settle()
  expect(stored(parent).linkAt(0)).toBe(9000)
})

it('copies have their own links', () => {
  const [parent, first, second] = [branchOf([1, 2]), leaf(), leaf()]
  parent.link(0, first)
  parent.link(1, 5)
  const copy = parent.copy()
  copy.link(0, second)
  copy.link(1, first)
  expect([parent.linkAt(0), parent.linkAt(1)]).toEqual([first, 5])
  expect([copy.linkAt(0), copy.linkAt(1)]).toEqual([second, first])
})

it('is unchanged after moving to its own memory', () => {
  const record = branchOf([0, 3]).copy()
  record.link(0, 1000)
  record.link(1, 2000)
  const [bytes, rlp] = [Uint8Array.from(record.bytes), Uint8Array.from(record.rlp)]
  expect(record.bytes.buffer.byteLength).toBeGreaterThan(record.length)
  record.own()
  expect(record.bytes.buffer.byteLength).toBe(record.length)
  expect([record.bytes, record.rlp]).toEqual([bytes, rlp])
  expect(record.rlp.buffer).toBe(record.bytes.buffer)
  expect([record.linkAt(0), record.linkAt(1)]).toEqual([1000, 2000])
})
