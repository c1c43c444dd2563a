import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { describe, expect, test } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { decodeDagPb, decodeDagPbInPieces, encodeDagPb } from './dagPbInPieces.js'

const cid = CID.parse('bafkqaaa')
const link = (index: number) => ({ Hash: cid, Name: `${index}`.padStart(6, '0'), Tsize: index })
const links = (count: number) => Array.from({ length: count }, (_, index) => link(index))
const inPieces = (bytes: Uint8Array) => runToCompletion(decodeDagPbInPieces(bytes))

function outcome(decode: () => dagPb.PBNode): unknown {
  try {
    return decode()
  } catch (error) {
    return (error as Error).message
  }
}

test.each([0, 1, 1023, 1024, 1025, 5000])('decodes a node of %i links like the codec', (count) => {
  for (const Data of [undefined, Uint8Array.of(8, 1)]) {
    const node = { Links: links(count), ...(Data !== undefined && { Data }) }
    expect(inPieces(dagPb.encode(node))).toEqual(dagPb.decode(dagPb.encode(node)))
  }
})

describe('reordered or damaged', () => {
  const many = dagPb.encode({ Links: links(3000) })
  const data = dagPb.encode({ Links: [], Data: Uint8Array.of(8, 1) })
  const join = (...parts: Uint8Array[]) => Uint8Array.from(Buffer.concat(parts))
  test.each([
    ['data before links', join(data, many)],
    ['data between links', join(many, data, many)],
    ['data twice', join(data, many, data)],
    ['data twice after links', join(many, data, data)],
    ['cut off', many.subarray(0, many.length - 3)],
    ['cut off in the middle', many.subarray(0, 40_001)],
    ['an unknown field', join(many, Uint8Array.of(0x1a, 1, 0))],
    ['an unterminated length', join(many, Uint8Array.of(0x12, 255, 255, 255, 255, 255, 255))],
  ])('%s', (_, bytes) => {
    expect(outcome(() => inPieces(bytes))).toEqual(outcome(() => decodeDagPb(bytes)))
  })
})

test.each([0, 1024, 1025, 5000])('encodes %i links in any order like the codec', async (count) => {
  const shuffled = links(count).map((_, index, all) => all[(index * 7919) % count] ?? link(index))
  for (const Data of [undefined, Uint8Array.of(8, 1)]) {
    // Equal names keep their order, and the sort is by bytes, not UTF-16 units.
    const named = shuffled.map((entry, index) => ({
      ...entry,
      Name: ['\u{1F600}', '\uFFFD', entry.Name][index % 3] ?? '',
    }))
    const node = { Links: named, ...(Data !== undefined && { Data }) }
    expect(await encodeDagPb(node)).toEqual(dagPb.encode(dagPb.prepare(node)))
  }
})
