import { isUtf8 } from 'node:buffer'

/**
 * Go's strings, and text of CBOR in IPLD, may be any bytes. A byte that is no part of a character in UTF-8 stands in a
 * string as a surrogate without its pair, which no text in UTF-8 has: 0xDC00 with the byte in its lower half.
 */
const LONE = 0xdc00
const loneBytes = /([\udc80-\udcff]+)/u

/** Whether text has no such bytes. */
export function isUnicode(text: string): boolean {
  return !loneBytes.test(text)
}

/** Decodes text so that its bytes can be had back. */
export function textOfBytes(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
  const units = new Uint16Array(bytes.length)
  let count = 0
  for (let index = 0; index < bytes.length;) {
    const width = widthAt(bytes, index)
    const point = pointAt(bytes, index, width)
    if (point > 0xffff) {
      units[count++] = 0xd800 + ((point - 0x10000) >> 10)
      units[count++] = 0xdc00 + (point & 0x3ff)
    } else units[count++] = point
    index += Math.max(width, 1)
  }
  return Buffer.from(units.buffer, 0, count * 2).toString('utf16le')
}

/** Encodes text in UTF-8, with the bytes that were none. */
export function bytesOfText(text: string): Uint8Array {
  if (!loneBytes.test(text)) return Buffer.from(text)
  return Buffer.concat(
    text
      .split(loneBytes)
      .map((piece, place) => (place % 2 === 0 ? Buffer.from(piece) : Buffer.from(piece, 'latin1'))),
  )
}

/** Decodes percent-encoding, in which any other character is a byte. */
export function decodeEscapes(text: string): string {
  const byteOf = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))
  return textOfBytes(Buffer.from(text.replace(/%([0-9a-f]{2})/gi, byteOf), 'latin1'))
}

/**
 * Percent-encodes text: its characters with a function such as `encodeURIComponent`, the bytes that are no UTF-8 as
 * such.
 */
export function encodeEscapes(text: string, encode: (piece: string) => string): string {
  const pieces = text.split(loneBytes)
  const escaped = (bytes: string): string =>
    Buffer.from(bytes, 'latin1').toString('hex').toUpperCase().replace(/../g, '%$&')
  return pieces.map((piece, place) => (place % 2 === 0 ? encode(piece) : escaped(piece))).join('')
}

/** Replaces each byte that is no UTF-8 by the replacement character, as Go does (encoding/json). */
export function wellFormed(text: string): string {
  return text.replace(/[\udc80-\udcff]/gu, '\ufffd')
}

/** Whether text has bytes that are no UTF-8. */
export function hasLoneBytes(text: string): boolean {
  return loneBytes.test(text)
}

/** Writes the replacement character for bytes in encoded JSON that were no UTF-8, as refmt does. */
export function withReplacements(json: string): string {
  return json.replace(/(?<!\\)((?:\\\\)*)\\udc[89a-f][0-9a-f]/g, '$1\\ufffd')
}

/** Returns how many bytes the character at a place has; 0 if there is none. */
function widthAt(bytes: Uint8Array, index: number): number {
  const first = bytes[index] as number
  if (first < 0x80) return 1
  const second = bytes[index + 1]
  if (first < 0xc2 || first > 0xf4 || !continues(second)) return 0
  if (first < 0xe0) return 2
  // Neither overlong, nor a surrogate, nor beyond the last code point.
  if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0
  if (!continues(bytes[index + 2])) return 0
  if (first < 0xf0) return 3
  if ((first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f)) return 0
  return continues(bytes[index + 3]) ? 4 : 0
}

function continues(byte: number | undefined): byte is number {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

function pointAt(bytes: Uint8Array, index: number, width: number): number {
  const first = bytes[index] as number
  if (width < 2) return width === 1 ? first : LONE | first
  let point = first & (0x7f >> width)
  for (let offset = 1; offset < width; offset++)
    point = (point << 6) | ((bytes[index + offset] as number) & 0x3f)
  return point
}
