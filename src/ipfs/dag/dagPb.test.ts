import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { describe, expect, test } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { type PBNode, decodeDagPb, decodeDagPbInSteps, encodeDagPb } from './dagPb.js'

const cid = CID.parse('bafkqaaa')
const link = (index: number) => ({ Hash: cid, Name: `${index}`.padStart(6, '0'), Tsize: index })
const links = (count: number) => Array.from({ length: count }, (_, index) => link(index))
const inSteps = (bytes: Uint8Array) => runToCompletion(decodeDagPbInSteps(bytes))

/** A node with its CIDs as values that can be compared, however they keep their bytes. */
const comparable = ({ Links, ...rest }: PBNode) => ({
  ...rest,
  Links: Links.map((entry) => ({ ...entry, Hash: partsOf(entry.Hash) })),
})
const partsOf = ({ version, code, bytes, multihash }: CID) => ({
  version,
  code,
  bytes: Buffer.from(bytes),
  multihash: {
    code: multihash.code,
    size: multihash.size,
    digest: Buffer.from(multihash.digest),
    bytes: Buffer.from(multihash.bytes),
  },
})

function outcome(decode: () => PBNode): unknown {
  try {
    return decode()
  } catch (error) {
    return (error as Error).message
  }
}

test.each([0, 1, 1023, 1024, 1025, 5000])('decodes a node of %i links like the codec', (count) => {
  for (const Data of [undefined, Uint8Array.of(8, 1)]) {
    const node = { Links: links(count), ...(Data !== undefined && { Data }) }
    expect(comparable(inSteps(dagPb.encode(node)))).toEqual(comparable(dagPb.decode(dagPb.encode(node))))
  }
})

test.each([
  ['of version 0', `1220${'ab'.repeat(32)}`],
  ['of version 1', `01701220${'ab'.repeat(32)}`],
  ['of an identity digest of 127 bytes', `0155007f${'ab'.repeat(127)}`],
  ['of an identity digest of 128 bytes', `0155008001${'ab'.repeat(128)}`],
  ['of a codec of two bytes', `01a9021220${'ab'.repeat(32)}`],
  ['of a hash function of three bytes', `0155a0e40220${'ab'.repeat(32)}`],
  ['with a needlessly long length', `0155008200abcd`],
  ['with bytes after it', `01701220${'ab'.repeat(32)}00`],
  ['of version 0, with bytes after it', `1220${'ab'.repeat(32)}00`],
  ['of a digest that ends early', `01701220${'ab'.repeat(31)}`],
  ['without a digest', '0155'],
  ['of version 2', `02701220${'ab'.repeat(32)}`],
])('decodes a CID %s like the library', (_, hex) => {
  const hash = Buffer.from(hex, 'hex')
  const field = (tag: number, length: number) => [
    tag,
    ...(length < 128 ? [length] : [(length & 127) | 128, 1]),
  ]
  const inner = Buffer.from([...field(0x0a, hash.length), ...hash])
  const node = Buffer.from([...field(0x12, inner.length), ...inner])
  let expected: CID | undefined
  try {
    expected = CID.decodeFirst(hash)[0]
  } catch {
    // Then neither decodes it.
  }
  if (expected === undefined) {
    expect(() => decodeDagPb(node)).toThrow('invalid Hash field found in link')
    return
  }
  const found = decodeDagPb(node).Links[0]?.Hash as CID
  expect(partsOf(found)).toEqual(partsOf(expected))
  expect(found.equals(expected) && expected.equals(found)).toBe(true)
  expect(found.toString()).toBe(expected.toString())
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
    expect(outcome(() => inSteps(bytes))).toEqual(outcome(() => decodeDagPb(bytes)))
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

// Messages of `dag/get` in Kubo 0.42.0.
test.each([
  ['120e0a0501550001680a050155000168', 'protobuf: (PBLink) duplicate Hash section'],
  ['120a1201610a050155000168', 'protobuf: (PBLink) invalid order, found Name before Hash'],
  ['120918010a050155000168', 'protobuf: (PBLink) invalid order, found Tsize before Hash'],
  ['120d0a050155000168120161120162', 'protobuf: (PBLink) duplicate Name section'],
  ['120c0a0501550001681801120162', 'protobuf: (PBLink) invalid order, found Tsize before Name'],
  ['120b0a05015500016818011801', 'protobuf: (PBLink) duplicate Tsize section'],
  ['12020801', 'protobuf: (PBLink) wrong wireType (0) for Hash'],
  ['12090a0501550001681001', 'protobuf: (PBLink) wrong wireType (0) for Name'],
  ['120a0a0501550001681a0161', 'protobuf: (PBLink) wrong wireType (2) for Tsize'],
  ['12090a0501550001682001', 'protobuf: (PBLink) invalid fieldNumber, expected 1, 2 or 3, got 4'],
  ['1200', 'invalid Hash field found in link, expected CID'],
  ['1203120161', 'invalid Hash field found in link, expected CID'],
  [
    '12040a021220',
    'invalid Hash field found in link, expected CID (invalid cid: expected 1 as the cid version number, got: 18)',
  ],
  [
    '12050a03122000',
    'invalid Hash field found in link, expected CID (invalid cid: not enough bytes for cid v0)',
  ],
  [
    '12060a0400701220',
    'invalid Hash field found in link, expected CID (invalid cid: expected 1 as the cid version number, got: 0)',
  ],
  [
    '12020a00',
    'invalid Hash field found in link, expected CID (invalid cid: varints malformed, could not reach the end)',
  ],
  [
    '12040a020155',
    'invalid Hash field found in link, expected CID (invalid cid: multihash too short. must be >= 2 bytes)',
  ],
  [
    '12060a0402550000',
    'invalid Hash field found in link, expected CID (invalid cid: expected 1 as the cid version number, got: 2)',
  ],
  [
    '12030a01ff',
    'invalid Hash field found in link, expected CID (invalid cid: varints malformed, could not reach the end)',
  ],
  ['0a0208010a020801', 'protobuf: (PBNode) duplicate Data section'],
  ['12070a0501550001680a02080112070a050155000168', 'protobuf: (PBNode) duplicate Links section'],
  ['08', 'protobuf: (PBNode) invalid wireType, expected 2, got 0'],
  ['1a0161', 'protobuf: (PBNode) invalid fieldNumber, expected 1 or 2, got 3'],
  ['00', 'proto: invalid field number'],
  ['0200', 'proto: invalid field number'],
  ['0a05', 'unexpected EOF'],
  ['12ffffffffffffffffffff', 'proto: variable length integer overflow'],
  ['ff', 'unexpected EOF'],
  ['ffffffffffffffffff7f', 'proto: variable length integer overflow'],
  ['faffffff7f00', 'proto: invalid field number'],
  ['0b', 'protobuf: (PBNode) invalid wireType, expected 2, got 3'],
  ['12120a0501550001681880808080808080808002', 'proto: variable length integer overflow'],
])('refuses %s: %s', (hex, message) => {
  expect(outcome(() => decodeDagPb(Buffer.from(hex, 'hex')))).toBe(message)
})

test('keeps names that are not UTF-8, and sizes of 64 bits', async () => {
  // A link with the name FF and the size 2^63 - 1, and one with -1 as an int64.
  const large = '12140a0501550001681201ff18ffffffffffffffff7f'
  const negative = '12120a05015500016818ffffffffffffffffff01'
  const node = decodeDagPb(Buffer.from(large, 'hex'))
  expect(node.Links[0]).toMatchObject({ Name: '\udcff', Tsize: 2n ** 63n - 1n })
  expect(decodeDagPb(Buffer.from(negative, 'hex')).Links[0]?.Tsize).toBe(-1)
  node.Links[0] = { ...node.Links[0], Tsize: 2n ** 62n + 1n } as PBNode['Links'][number]
  expect(Buffer.from(await encodeDagPb(node)).toString('hex')).toBe(
    '12140a0501550001681201ff18818080808080808040',
  )
  node.Links[0] = { ...node.Links[0], Tsize: 2n ** 63n }
  await expect(encodeDagPb(node)).rejects.toThrow('value of Tsize is too large: 9223372036854775808')
})
