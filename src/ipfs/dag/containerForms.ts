import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as json from 'multiformats/codecs/json'
import type { ContainerForm } from './encodeInPieces.js'

const NOTHING = new Uint8Array(0)

const ascii = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))

const brackets = {
  begin: { list: ascii('['), map: ascii('{') },
  end: { list: ascii(']'), map: ascii('}') },
} as const

const jsonMarks = {
  begin: (kind: 'list' | 'map') => brackets.begin[kind],
  end: (kind: 'list' | 'map') => brackets.end[kind],
  separator: ascii(','),
  colon: ascii(':'),
}

/** How lists and maps are written in JSON: members stay in their order. */
export const jsonForm: ContainerForm = { ...jsonMarks, encode: json.encode, compareNames: undefined }

/** How they are in DAG-JSON. */
export const dagJsonForm: ContainerForm = {
  ...jsonMarks,
  encode: dagJson.encode,
  compareNames: (a, b) => (a < b ? -1 : 1),
}

/** The major types of CBOR. */
const majorTypes = { list: 4, map: 5 } as const

/** How they are in DAG-CBOR: the shortest names come first. */
export const dagCborForm: ContainerForm = {
  encode: dagCbor.encode,
  begin: (kind, count) => headOf(majorTypes[kind], count),
  end: () => NOTHING,
  separator: NOTHING,
  colon: NOTHING,
  compareNames(a, b) {
    const [ofA, ofB] = [Buffer.byteLength(a), Buffer.byteLength(b)]
    if (ofA !== ofB) return ofA - ofB
    if (ofA === a.length && ofB === b.length) return a < b ? -1 : 1
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  },
}

function headOf(majorType: number, count: number): Uint8Array {
  const first = majorType << 5
  if (count < 24) return Uint8Array.of(first | count)
  if (count < 2 ** 8) return Uint8Array.of(first | 24, count)
  if (count < 2 ** 16) return Uint8Array.of(first | 25, count >> 8, count & 0xff)
  const head = Buffer.alloc(5)
  head[0] = first | 26
  head.writeUInt32BE(count, 1)
  return Uint8Array.from(head)
}
