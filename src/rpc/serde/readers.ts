import { InvalidParamsError } from '../errors.js'

/*
 * Anvil and hardhat read arguments with serde, whose messages name the expected Rust type. The forms that they accept
 * beyond hexutil's (JSON numbers, decimal and binary text, byte arrays, hexadecimal without prefix) are converted to
 * hexutil's here.
 */

/**
 * Reads a JSON value like anvil or hardhat.
 *
 * @returns the value in the form that methods accept
 * @throws InvalidParamsError with the node's message
 */
export type Reader = (value: unknown) => unknown

/**
 * How serde reports a number that does not fit. In anvil, without its value if read directly from JSON. In hardhat,
 * integers with their value, and others as `number`, or as a map if any type may stand there.
 */
export type NumberNaming = 'named' | 'unnamed' | 'integers' | 'mapped'

/** Returns the error for a value of the wrong kind. */
export function mismatch(
  value: unknown,
  expected: string,
  naming: NumberNaming = 'named',
): InvalidParamsError {
  return new InvalidParamsError(`invalid type: ${kindOf(value, naming)}, expected ${expected}`)
}

const MAX_INTEGER = 2 ** 64

function kindOf(value: unknown, naming: NumberNaming): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'boolean') return `boolean \`${value}\``
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`
  if (typeof value !== 'number') return Array.isArray(value) ? 'sequence' : 'map'
  if (naming === 'unnamed') return 'number'
  if (Number.isInteger(value) && Math.abs(value) < MAX_INTEGER) return `integer \`${value}\``
  if (naming === 'named') return `floating point \`${value}\``
  return naming === 'mapped' ? 'map' : 'number'
}

function invalidValue(text: string, expected: string): InvalidParamsError {
  return new InvalidParamsError(`invalid value: string ${JSON.stringify(text)}, expected ${expected}`)
}

/** @throws InvalidParamsError if an item is not a byte */
function listHex(items: readonly unknown[], naming: NumberNaming): string {
  for (const item of items) {
    if (Number.isInteger(item) && Number(item) >= 0 && Number(item) < 256) continue
    if (naming === 'named' && typeof item === 'number') throw new InvalidParamsError('invalid number')
    if (!Number.isInteger(item)) throw mismatch(item, 'u8', naming)
    throw new InvalidParamsError(`invalid value: integer \`${Number(item)}\`, expected u8`)
  }
  return `0x${Buffer.from(items as number[]).toString('hex')}`
}

/** Messages of const-hex in anvil; hardhat's version capitalizes them. */
const hexErrors = {
  odd: 'odd number of digits',
  length: 'invalid string length',
  character: 'invalid character',
}

function capitalized(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1)
}

/** Bytes of a fixed length (alloy: FixedBytes). */
export function fixedBytes(length: number, naming: NumberNaming = 'named'): Reader {
  const expected = `${length} bytes, represented as a hex string of length ${length * 2}, an array of u8, or raw bytes`
  const message = (kind: keyof typeof hexErrors): string =>
    naming === 'mapped' ? capitalized(hexErrors[kind]) : hexErrors[kind]
  return (value) => {
    if (Array.isArray(value)) {
      const hex = listHex(value, naming)
      if (value.length === length) return hex
      throw new InvalidParamsError(`invalid length ${value.length}, expected exactly ${length} bytes`)
    }
    if (typeof value !== 'string') throw mismatch(value, expected, naming)
    const digits = value.startsWith('0x') ? value.slice(2) : value
    if (digits.length % 2 !== 0) throw new InvalidParamsError(message('odd'))
    if (digits.length !== length * 2) throw new InvalidParamsError(message('length'))
    const at = digits.search(/[^0-9a-fA-F]/)
    if (at < 0) return `0x${digits}`
    throw new InvalidParamsError(`${message('character')} '${digits.charAt(at)}' at position ${at}`)
  }
}

/** A 20-byte address. */
export const address = fixedBytes(20)
/** A 32-byte hash. */
export const hash = fixedBytes(32)

/** Bytes of any length (alloy: Bytes). */
export function bytesOf(naming: NumberNaming): Reader {
  return (value) => {
    if (Array.isArray(value)) return listHex(value, naming)
    if (typeof value !== 'string') {
      throw mismatch(
        value,
        'a variable number of bytes represented as a hex string, an array of u8, or raw bytes',
        naming,
      )
    }
    const digits = value.startsWith('0x') ? value.slice(2) : value
    if (!/^([0-9a-fA-F]{2})*$/.test(digits)) throw invalidValue(value, 'a valid hex string')
    return `0x${digits}`
  }
}

/** Bytes of any length, as read by anvil. */
export const bytes = bytesOf('named')

/** Parses a number: decimal, or in another base with its prefix; undefined if invalid (ruint: from_str). */
function parseUint(text: string): bigint | undefined {
  const digits = text.replaceAll('_', '').toLowerCase()
  if (/^(0x|0o|0b)?$/.test(digits)) return 0n
  return /^(0x[0-9a-f]+|0o[0-7]+|0b[01]+|[0-9]+)$/.test(digits) ? BigInt(digits) : undefined
}

function uintOf(value: unknown): bigint | undefined {
  if (typeof value === 'string') return parseUint(value)
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MAX_INTEGER
    ? BigInt(value)
    : undefined
}

/** An unsigned integer (ruint: Uint). */
export function uint(bits: number, naming: NumberNaming = 'named'): Reader {
  const expected = `a ${bits / 8} byte hex string`
  return (value) => {
    const number = uintOf(value)
    if (number !== undefined && number < 1n << BigInt(bits)) return `0x${number.toString(16)}`
    if (typeof value === 'string') throw invalidValue(value, expected)
    if (number === undefined) throw mismatch(value, expected, naming)
    throw new InvalidParamsError(`invalid value: integer \`${number}\`, expected ${expected}`)
  }
}

/** A 256-bit number of a control; `name` is that of anvil's enum of accepted forms. */
export function numeric(name: 'Numeric' | 'NumericSeq'): Reader {
  return (value) => {
    const number = uintOf(value)
    if (number !== undefined && number < 1n << 256n) return `0x${number.toString(16)}`
    throw noVariant(name)
  }
}

/** Returns the error for a value that matches no variant of an enum. */
export function noVariant(name: string): InvalidParamsError {
  return new InvalidParamsError(`data did not match any variant of untagged enum ${name}`)
}

/** A JSON number; also text, as other development nodes accept. */
export function wholeNumber(type: 'u64' | 'usize'): Reader {
  return (value) => {
    if (typeof value === 'number') return jsonNumber(value)
    const number = value === '' ? undefined : uintOf(value)
    if (number === undefined || number >= 1n << 64n) throw mismatch(value, type)
    return `0x${number.toString(16)}`
  }
}

/** An unsigned JSON integer. */
export const jsonNumber: Reader = (value) => {
  if (typeof value !== 'number') throw mismatch(value, 'u64')
  if (uintOf(value) === undefined) throw new InvalidParamsError('invalid number')
  return value
}

/** A JSON boolean. */
export function boolean(naming: NumberNaming): Reader {
  return (value) => {
    if (typeof value === 'boolean') return value
    throw mismatch(value, 'a boolean', naming)
  }
}

/** A JSON string. */
export function text(naming: NumberNaming): Reader {
  return (value) => {
    if (typeof value === 'string') return value
    throw mismatch(value, 'a string', naming)
  }
}

/** Any JSON number. */
export const float: Reader = (value) => {
  if (typeof value !== 'number') throw mismatch(value, 'f64')
  if (!Number.isFinite(value)) throw new InvalidParamsError('number out of range')
  return value
}

/** A list of items. */
export function sequence(item: Reader, naming: NumberNaming): Reader {
  return (value) => {
    if (Array.isArray(value)) return value.map((one: unknown) => item(one))
    throw mismatch(value, 'a sequence', naming)
  }
}

/** A nullable value. */
export function option(reader: Reader): Reader {
  return (value) => (value === null || value === undefined ? null : reader(value))
}

/** An object used as a map. */
export function mapOf(name: Reader, member: Reader, naming: NumberNaming = 'unnamed'): Reader {
  return (value) => {
    if (!isObject(value)) throw mismatch(value, 'a map', naming)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [String(name(key)), member(one)]))
  }
}

/** Options of a struct. */
export interface StructRules {
  /** What serde expected, for the error message. */
  expected: string
  naming: NumberNaming
  /** Names listed in the error for an unknown member; if absent, unknown members are kept. */
  knownNames?: readonly string[]
  /** Required members, in the order in which missing ones are reported. */
  required?: readonly string[]
  /** Optional members that must not be null. */
  notNull?: readonly string[]
}

/** An object with known members, nullable by default. */
export function struct(
  { expected, naming, knownNames, required = [], notNull = [] }: StructRules,
  fields: Readonly<Record<string, Reader>>,
): Reader {
  const strict = new Set([...required, ...notNull])
  const folded = new Set(Object.keys(fields).map((name) => name.toLowerCase()))
  return (value) => {
    if (!isObject(value)) throw mismatch(value, expected, naming)
    const read: Record<string, unknown> = { ...value }
    for (const [name, member] of Object.entries(value)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field !== undefined) read[name] = strict.has(name) ? field(member) : option(field)(member)
      else if (knownNames !== undefined) throw unknownField(name, knownNames)
      // Methods would take it for the member, as in Go.
      else if (folded.has(name.toLowerCase())) delete read[name]
    }
    const missing = required.find((name) => !Object.hasOwn(value, name))
    if (missing !== undefined) throw new InvalidParamsError(`missing field \`${missing}\``)
    return read
  }
}

/** Returns the error for an unknown member. */
export function unknownField(name: string, known: readonly string[]): InvalidParamsError {
  const names = known.map((one) => `\`${one}\``).join(', ')
  return new InvalidParamsError(`unknown field \`${name}\`, expected one of ${names}`)
}

/** Whether a JSON value is an object and not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
