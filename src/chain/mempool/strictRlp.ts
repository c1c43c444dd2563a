import { TransactionEncodingError } from './rlpError.js'

/** A byte string or a list of items. */
export type RlpItem = Uint8Array | RlpItem[]

interface Span {
  isList: boolean
  start: number
  end: number
}

/** Lists are read so deep; those of a transaction with blobs are nested five deep. */
const DEPTH = 8

const VALUE_TOO_LARGE = 'rlp: value size exceeds available input length'
const ELEMENT_TOO_LARGE = 'rlp: element is larger than containing list'

/**
 * The one item that bytes encode. What is nested deeper than any transaction is left out: a reader refuses the list that
 * it stands in.
 *
 * @throws TransactionEncodingError in the words of geth's rlp package, which takes canonical encodings only.
 */
export function decodeStrictRlp(bytes: Uint8Array): RlpItem {
  const span = readHeader(bytes, 0, bytes.length, VALUE_TOO_LARGE)
  const item = readItem(bytes, span, 0)
  if (span.end !== bytes.length) throw new TransactionEncodingError('rlp: input contains more than one value')
  return item
}

function readItem(bytes: Uint8Array, { isList, start, end }: Span, depth: number): RlpItem {
  if (!isList) return bytes.slice(start, end)
  const items: RlpItem[] = []
  if (depth === DEPTH) return items
  for (let at = start; at < end;) {
    const span = readHeader(bytes, at, end, ELEMENT_TOO_LARGE)
    items.push(readItem(bytes, span, depth + 1))
    at = span.end
  }
  return items
}

/** Where the content of the item at an offset lies. */
function readHeader(bytes: Uint8Array, at: number, limit: number, tooLarge: string): Span {
  const first = bytes[at]
  if (first === undefined || at >= limit) throw new TransactionEncodingError('unexpected EOF')
  if (first < 0x80) return { isList: false, start: at, end: at + 1 }
  const isList = first >= 0xc0
  const short = isList ? first - 0xc0 : first - 0x80
  let start = at + 1
  let length = short
  if (short > 55) {
    const lengthBytes = bytes.subarray(start, start + short - 55)
    start += short - 55
    length = lengthBytes.reduce((sum, byte) => sum * 256 + byte, 0)
    if (start > limit) throw new TransactionEncodingError(tooLarge)
    if (lengthBytes[0] === 0 || length < 56)
      throw new TransactionEncodingError('rlp: non-canonical size information')
  }
  if (length > limit - start) throw new TransactionEncodingError(tooLarge)
  const isWrongByte = !isList && length === 1 && short <= 55 && (bytes[start] ?? 0) < 0x80
  if (isWrongByte) throw new TransactionEncodingError('rlp: non-canonical size information')
  return { isList, start, end: start + length }
}
