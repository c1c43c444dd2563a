import { isUtf8 } from 'node:buffer'

/**
 * Go's strings, and text of CBOR in IPLD, may be any bytes. A byte that is no part of a character in UTF-8 stands in a
 * string as a surrogate without its pair, which no text in UTF-8 has: 0xDC00 with the byte in its lower half.
 */
const LONE = 0xdc00
const loneBytes = /[\udc80-\udcff]/u

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
    const byte = bytes[index] as number
    if (byte < 0x80) {
      units[count++] = byte
      index++
      continue
    }
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

/** What UTF-8 has in place of a surrogate that stands for no byte. */
const REPLACEMENT = 0xfffd

/** Encodes text in UTF-8, with the bytes that were none. */
export function bytesOfText(text: string): Uint8Array {
  if (!loneBytes.test(text)) return Buffer.from(text)
  // Unit by unit: a name of megabytes may alternate between characters and other bytes.
  const bytes = Buffer.allocUnsafe(3 * text.length)
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.codePointAt(index) as number
    const isSurrogate = code >= 0xd800 && code <= 0xdfff
    if (code < 0x80) bytes[length++] = code
    else if (code >= LONE + 0x80 && code <= LONE + 0xff) bytes[length++] = code & 0xff
    else {
      const point = isSurrogate ? REPLACEMENT : code
      if (point > 0xffff) {
        index++
        bytes[length++] = 0xf0 | (point >> 18)
        bytes[length++] = 0x80 | ((point >> 12) & 0x3f)
      } else if (point > 0x7ff) bytes[length++] = 0xe0 | (point >> 12)
      bytes[length++] = point > 0x7ff ? 0x80 | ((point >> 6) & 0x3f) : 0xc0 | (point >> 6)
      bytes[length++] = 0x80 | (point & 0x3f)
    }
  }
  return bytes.subarray(0, length)
}

/** Returns the length of {@link bytesOfText}. */
export function byteLengthOfText(text: string): number {
  return loneBytes.test(text) ? bytesOfText(text).length : Buffer.byteLength(text)
}

/** Decodes percent-encoding, in which any other character is a byte. */
export function decodeEscapes(text: string): string {
  const byteOf = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))
  return textOfBytes(Buffer.from(text.replace(/%([0-9a-f]{2})/gi, byteOf), 'latin1'))
}

/**
 * Percent-encodes text, with the bytes that are no UTF-8 as such.
 *
 * @param encode - `encodeURIComponent` or `encodeURI`, which differ in the characters that they keep
 */
export function encodeEscapes(text: string, encode: (piece: string) => string): string {
  if (!loneBytes.test(text)) return encode(text)
  const bytes = bytesOfText(text)
  const kept = Array.from({ length: 0x80 }, (_, byte) => encode(String.fromCharCode(byte)).length === 1)
  const written = Buffer.allocUnsafe(3 * bytes.length)
  let length = 0
  for (const byte of bytes) {
    if (kept[byte] === true) written[length++] = byte
    else {
      written[length++] = PERCENT
      written[length++] = hexDigits.charCodeAt(byte >> 4)
      written[length++] = hexDigits.charCodeAt(byte & 0xf)
    }
  }
  return written.toString('latin1', 0, length)
}

const PERCENT = 0x25
const hexDigits = '0123456789ABCDEF'

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
