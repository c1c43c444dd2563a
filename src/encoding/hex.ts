import { type Steps, runToCompletion } from './timeSlice.js'

/** Lower-case hexadecimal digits with a `0x` prefix. */
export type Hex = `0x${string}`

/** Encodes bytes as lower-case hexadecimal with a `0x` prefix, two digits per byte; no bytes give `0x`. */
export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${bytesToPlainHex(bytes)}`
}

/** Bytes of a piece of {@link hexPieces}. */
const PIECE_BYTES = 64 * 1024

/** Yields `0x` and lower-case hexadecimal digits in pieces. */
export function* hexPieces(bytes: Uint8Array): Generator<string, void, undefined> {
  yield '0x'
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytesToPlainHex(bytes.subarray(at, at + PIECE_BYTES))
  }
}

/** Encodes bytes as lower-case hexadecimal without a prefix, the form used for map keys. */
export function bytesToPlainHex(bytes: Uint8Array): string {
  return hexSlice.call(bytes, 0, bytes.length)
}

/**
 * Decodes a hexadecimal string with or without `0x`.
 *
 * The digits are not checked: use this only for values that the program made or has already decoded. The result does
 * not share Node's buffer pool, so it is safe to keep.
 */
export function hexToBytes(hex: string): Uint8Array {
  const start = hex.startsWith('0x') ? 2 : 0
  const bytes = new Uint8Array((hex.length - start) >> 1)
  if (bytes.length > MAX_READ_HERE) writeHexDigits(hex.slice(start), bytes)
  else {
    for (let i = 0, at = start; i < bytes.length; i++, at += 2) {
      bytes[i] = (digitValue(hex, at) << 4) | digitValue(hex, at + 1)
    }
  }
  return bytes
}

/**
 * Decodes unchecked hexadecimal digits, two per byte, from `start` to the end of the text.
 *
 * @returns undefined if a character is not a digit
 */
export function readHexDigits(text: string, start: number): Uint8Array | undefined {
  const length = (text.length - start) >> 1
  if (length > MAX_READ_HERE) {
    const digits = text.slice(start)
    return onlyDigits.test(digits) ? hexToBytes(digits) : undefined
  }
  const bytes = new Uint8Array(length)
  let all = 0
  for (let i = 0, at = start; i < length; i++, at += 2) {
    const upper = checkedDigitValue(text, at)
    const lower = checkedDigitValue(text, at + 1)
    all |= upper | lower
    bytes[i] = (upper << 4) | lower
  }
  return all < NO_DIGIT ? bytes : undefined
}

/** Incremental version of {@link readHexDigits}, for input long enough to hold up other work. */
export function* readHexDigitsInSteps(text: string, start: number): Steps<Uint8Array | undefined> {
  if (text.length - start <= DIGITS_AT_ONCE) return readHexDigits(text, start)
  const bytes = new Uint8Array((text.length - start) >> 1)
  for (let at = start; at < text.length; at += DIGITS_AT_ONCE) {
    const digits = text.slice(at, at + DIGITS_AT_ONCE)
    if (!onlyDigits.test(digits)) return undefined
    writeHexDigits(digits, bytes.subarray((at - start) >> 1))
    yield
  }
  return bytes
}

/** Digits decoded in one step. */
const DIGITS_AT_ONCE = 128 * 1024

const onlyDigits = /^[0-9a-fA-F]*$/

/** Up to this many bytes, decoding here takes a third of the time of a call into Node. */
const MAX_READ_HERE = 36

/** Value of a digit by its character code. */
const digitValues = new Uint8Array(128)
const NO_DIGIT = 16
/** Value of a digit by its character code; {@link NO_DIGIT} for all other characters. */
const checkedDigitValues = new Uint8Array(128).fill(NO_DIGIT)
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16)
  digitValues[digit.charCodeAt(0)] = value
  digitValues[digit.toUpperCase().charCodeAt(0)] = value
  checkedDigitValues[digit.charCodeAt(0)] = value
  checkedDigitValues[digit.toUpperCase().charCodeAt(0)] = value
}

function digitValue(hex: string, at: number): number {
  return digitValues[hex.charCodeAt(at)] as number
}

function checkedDigitValue(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < checkedDigitValues.length ? (checkedDigitValues[code] as number) : NO_DIGIT
}

/** Up to this many bytes, a loop compares faster than a call into Node. */
const SHORT_BYTES = 32

/** Returns whether two byte strings are equal in length and content. */
export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  if (a.length > SHORT_BYTES) return Buffer.compare(a, b) === 0
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

declare global {
  /** Primitives behind `toString` and `write`, missing from Node's types. They accept any Uint8Array. */
  interface Buffer {
    latin1Slice(this: Uint8Array, start: number, end: number): string
    hexSlice(this: Uint8Array, start: number, end: number): string
    hexWrite(this: Uint8Array, digits: string, start: number, length: number): number
  }
}

/*
 * `toString` and `write` need a Buffer around the bytes. Making one takes longer than the conversion, and reading the
 * `buffer` of a short array moves its bytes out of V8's heap. A block needs hundreds of these calls.
 */
const { latin1Slice, hexSlice, hexWrite } = Buffer.prototype

/** Converts bytes to a string of Latin-1 characters, usable as a Map key. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return latin1Slice.call(bytes, start, end)
}

/** Decodes hexadecimal digits without a prefix into the start of an array. */
function writeHexDigits(digits: string, into: Uint8Array): void {
  hexWrite.call(into, digits, 0, into.length)
}

/** Concatenates byte arrays into a new one. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  return runToCompletion(joinInSteps(pieces))
}

/** Bytes, and pieces, joined between two yields. */
const BYTES_AT_ONCE = 256 * 1024
const PIECES_AT_ONCE = 16 * 1024

/** Like {@link joinBytes}, incrementally: there may be tens of megabytes. */
export function* joinInSteps(pieces: readonly Uint8Array[]): Steps<Uint8Array> {
  let length = 0
  let count = 0
  for (const piece of pieces) {
    length += piece.length
    if (++count % PIECES_AT_ONCE === 0) yield
  }
  const joined = new Uint8Array(length)
  let at = 0
  let yielded = 0
  for (const piece of pieces) {
    let from = 0
    // Memory that is new to the process takes a while to fill.
    for (; piece.length - from > BYTES_AT_ONCE; from += BYTES_AT_ONCE) {
      joined.set(piece.subarray(from, from + BYTES_AT_ONCE), at + from)
      yield
    }
    joined.set(from === 0 ? piece : piece.subarray(from), at + from)
    at += piece.length
    if (at - yielded < BYTES_AT_ONCE && ++count % PIECES_AT_ONCE > 0) continue
    yielded = at
    yield
  }
  return joined
}

/**
 * Returns the same memory as a plain Uint8Array. LevelDB and Node's file functions return Buffers, whose `slice`
 * shares memory where that of a Uint8Array copies: a caller that keeps or changes a slice needs the copy.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Encodes a number as a JSON-RPC QUANTITY: `0x` and minimal hexadecimal digits; zero is `0x0`. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}

const WORD_BITS = 64n
const WORD_BYTES = 8
/** Six bytes fit exactly into a number. */
const MAX_OF_SIX_BYTES = 2n ** 48n - 1n

/** Decodes big-endian bytes as an unsigned number; no bytes give zero. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  const { length } = bytes
  if (length <= WORD_BYTES) return smallBigintAt(bytes, 0, length)
  return BigInt(`0x${bytesToPlainHex(bytes)}`)
}

const word = new Uint8Array(WORD_BYTES)
const wordView = new DataView(word.buffer)

/** Decodes up to eight big-endian bytes as an unsigned number. BigInt(number) would leave compiled code. */
export function smallBigintAt(bytes: Uint8Array, start: number, length: number): bigint {
  if (length === 0) return 0n
  wordView.setBigUint64(0, 0n)
  for (let from = start + length, to = WORD_BYTES; from > start;) word[--to] = bytes[--from] as number
  return wordView.getBigUint64(0)
}

/** Encodes an unsigned number as exactly `length` big-endian bytes, dropping higher bits. */
export function bigintToBytes(value: bigint, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  if (value <= MAX_OF_SIX_BYTES) {
    writeSmall(Number(value), bytes, length)
    return bytes
  }
  const view = new DataView(bytes.buffer)
  let rest = value
  let end = length
  for (; end >= WORD_BYTES && rest !== 0n; end -= WORD_BYTES) {
    view.setBigUint64(end - WORD_BYTES, BigInt.asUintN(64, rest))
    rest >>= WORD_BITS
  }
  if (rest === 0n || end === 0) return bytes
  if (end === 7) bytes[0] = Number((rest >> 48n) & 0xffn)
  writeSmall(Number(BigInt.asUintN(8 * Math.min(end, 6), rest)), bytes, end)
  return bytes
}

/** Encodes an unsigned number as RLP does: big-endian without leading zeros; zero gives no bytes. */
export function minimalBytes(value: bigint): Uint8Array {
  if (value <= MAX_OF_SIX_BYTES) {
    const small = Number(value)
    const length = byteLength(small)
    const bytes = new Uint8Array(length)
    writeSmall(small, bytes, length)
    return bytes
  }
  if (value > MAX_OF_SCRATCH) return manyBytes(value)
  // setBigUint64 writes the lowest eight bytes of a larger number.
  let start = 4 * WORD_BYTES
  for (let rest = value; rest > 0n; rest >>= WORD_BITS) {
    start -= WORD_BYTES
    scratchView.setBigUint64(start, rest)
  }
  while (scratch[start] === 0) start++
  const bytes = new Uint8Array(scratch.length - start)
  for (let i = 0; i < bytes.length; i++) bytes[i] = scratch[start + i] as number
  return bytes
}

const scratch = new Uint8Array(4 * WORD_BYTES)
const scratchView = new DataView(scratch.buffer)
const MAX_OF_SCRATCH = 2n ** 256n - 1n

function manyBytes(value: bigint): Uint8Array {
  const digits = value.toString(16)
  const bytes = new Uint8Array((digits.length + 1) >>> 1)
  writeHexDigits(digits.length % 2 === 0 ? digits : `0${digits}`, bytes)
  return bytes
}

/** Returns the byte length of a number of at most six bytes. */
function byteLength(value: number): number {
  let length = 0
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) length++
  return length
}

/** Writes a number of at most six bytes so that it ends before `end`, without a bigint per byte. */
function writeSmall(value: number, bytes: Uint8Array, end: number): void {
  let at = end
  for (let rest = value; rest > 0 && at > 0; rest = Math.floor(rest / 256)) bytes[--at] = rest
}
