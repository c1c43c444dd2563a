import { InvalidParamsError, RpcError } from '../errors.js'
import { isBlockTag } from '../params/blockSelector.js'
import {
  type Reader,
  boolean as booleanOf,
  bytesOf,
  fixedBytes,
  isObject,
  mapOf,
  mismatch,
  noVariant,
  option,
  sequence as sequenceOf,
  text as textOf,
  uint as uintOf,
  unknownField,
} from './readers.js'

/*
 * How hardhat reads single values (EDR: edr_eth and edr_provider, requests/serde.rs). Its controls and most addresses
 * must be text; everything else has the forms of ruint and alloy.
 */

/** An unsigned integer of at most `bits` bits, as in ruint. */
export const uint = (bits: number): Reader => uintOf(bits, 'mapped')
/** A boolean. */
export const boolean = booleanOf('integers')
/** A string. */
export const text = textOf('integers')
/** Bytes of any length. */
export const bytes = bytesOf('mapped')
/** A 32-byte hash. */
export const hash = fixedBytes(32, 'mapped')
/** An address that may also be a byte list or lack the prefix. */
export const looseAddress = fixedBytes(20, 'mapped')
/** A list of items. */
export const sequence = (item: Reader): Reader => sequenceOf(item, 'integers')
/** An object used as a map. */
export const map = (name: Reader, member: Reader): Reader => mapOf(name, member, 'integers')

/** Reads text; `refuse` returns the error for other primitive values. */
function onlyText(
  what: string,
  refuse: (value: number | boolean) => InvalidParamsError,
): (value: unknown) => string {
  return (value) => {
    if (typeof value === 'string') return value
    if (typeof value === 'boolean' || Number.isSafeInteger(value)) throw refuse(value as number | boolean)
    const { message } = mismatch(value, 'a string', 'integers')
    throw new InvalidParamsError(
      `Failed to deserialize ${what} argument into string with error: '${message}'`,
    )
  }
}

const onlyStrings = (value: number | boolean): InvalidParamsError =>
  new InvalidParamsError(`This method only supports strings but input was: ${value}`)

/** Text of the given form; `name` is its kind in the error message. */
function textOfForm(what: string, name: string, form: RegExp): Reader {
  const read = onlyText(what, onlyStrings)
  return (value) => {
    const given = read(value)
    if (form.test(given)) return given
    throw new InvalidParamsError(`invalid value "${given}" supplied to : ${name}`)
  }
}

/** An address as text with its prefix. */
export const address = textOfForm('address', 'ADDRESS', /^0x[0-9a-fA-F]{40}$/)
/** Bytes as text with the prefix. */
export const data = textOfForm('data', 'DATA', /^0x([0-9a-fA-F]{2})*$/)
/** A number of at most 256 bits. */
export const quantity: Reader = canonical(textOfForm('quantity', 'QUANTITY', /^0x[0-9a-fA-F]{0,64}$/))

/** Hexutil's form of a hexadecimal number. */
function canonical(reader: Reader): Reader {
  return (value) => {
    const hex = String(reader(value))
    return `0x${BigInt(hex === '0x' ? 0 : hex).toString(16)}`
  }
}

/** A nonce: a number below 2^64, as text. */
export const nonce: Reader = (value) => {
  const number = String(quantity(value))
  if (BigInt(number) < 1n << 64n) return number
  throw new InvalidParamsError(`Nonce must not be greater than or equal to 2^64. Received ${number}`)
}

/** Code of errors without a code of their own. */
const SERVER_ERROR = -32000

/** The slot that a control sets. */
export const storageKey: Reader = (value) => {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{65,}$/.test(value)) return quantity(value)
  throw new InvalidParamsError(
    `Storage key must not be greater than or equal to 2^256. Received ${value}.`,
    SERVER_ERROR,
  )
}

const anyHex = textOfForm('quantity', 'DATA', /^0x/)

/** The 32-byte value that a control stores. */
export const storageValue: Reader = (value) => {
  const given = String(anyHex(value))
  const length = (given.length - 2) >> 1
  if (length === 32) return data(given)
  throw new InvalidParamsError(
    `Storage value must be exactly 32 bytes long. Received ${given}, which is ${length} bytes long.`,
    SERVER_ERROR,
  )
}

const slotText = onlyText(
  'storage slot',
  (value) => new InvalidParamsError(`Storage slot argument must be a string, got '${value}'`),
)
const SLOT_CHARACTERS = 66

/** The slot that eth_getStorageAt reads. */
export const storageSlot: Reader = (value) => {
  const given = slotText(value)
  const refused = (why: string): InvalidParamsError => new InvalidParamsError(`Storage slot argument ${why}`)
  if (given === '') throw refused('cannot be an empty string')
  if (!/^(0x)?[0-9a-f]*$/i.test(given) || given.startsWith('0X'))
    throw refused(`must be a valid hexadecimal, got '${given}'`)
  if (given.length > SLOT_CHARACTERS) {
    throw refused(
      `must have a length of at most 66 ("0x" + 32 bytes), but '${given}' has a length of ${given.length}'`,
    )
  }
  return `0x${given.replace(/^0x/, '').padStart(SLOT_CHARACTERS - 2, '0')}`
}

/** A time or a number of seconds. */
export const timestamp: Reader = (value) => {
  try {
    return uint(64)(value)
  } catch {
    throw new InvalidParamsError('Timestamp must be a non-negative number not exceeding 2^64 - 1')
  }
}

const wholeNumber = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** Milliseconds between blocks, or a range of them. */
export const miningInterval: Reader = (value) => {
  const isRange = Array.isArray(value) && value.length === 2 && value.every(wholeNumber)
  if (isRange || wholeNumber(value)) return value
  throw noVariant('IntervalConfig')
}

/** The block parameter names an unknown tag. Hardhat takes this for an unknown method. */
export class UnknownVariantError extends Error {
  override readonly name = 'UnknownVariantError'
}

const blockMembers = ['blockHash', 'requireCanonical', 'blockNumber']
const blockReaders: Readonly<Record<string, Reader>> = {
  blockHash: hash,
  requireCanonical: boolean,
  blockNumber: text,
}

/** A block by number, tag or EIP-1898 object. */
export const block: Reader = (value) => {
  if (typeof value === 'string') {
    if (isBlockTag(value)) return value
    if (value.startsWith('0x')) return uint(64)(value)
    throw new UnknownVariantError()
  }
  if (typeof value === 'number' && !Number.isInteger(value))
    throw unknownField('$serde_json::private::Number', blockMembers)
  if (!isObject(value)) throw mismatch(value, 'a block specifier')
  const read: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const reader = blockReaders[name]
    if (!blockMembers.includes(name) || reader === undefined) throw unknownField(name, blockMembers)
    read[name] = reader(member)
  }
  const [one, other] = ['blockHash', 'blockNumber', 'requireCanonical'].filter((name) => name in read)
  if ('blockNumber' in read && other !== undefined) {
    throw new InvalidParamsError(`EIP-1898 block spec cannot have both \`${one}\` and \`${other}\``)
  }
  if (one === undefined || one === 'requireCanonical')
    throw new InvalidParamsError('Invalid EIP-1898 block spec')
  return 'blockNumber' in read ? { blockNumber: uint(64)(read['blockNumber']) } : read
}

const MAX_BLOCKS = 1n << 32n

/** A number of blocks, clamped to more than any method accepts. */
export const blockCount: Reader = (value) => {
  const count = BigInt(String(uint(256)(value)))
  return `0x${(count < MAX_BLOCKS ? count : MAX_BLOCKS).toString(16)}`
}

/** A block by number or tag (EDR: PreEip1898BlockSpec). */
export const blockNumber: Reader = (value) => {
  if (typeof value === 'string' && isBlockTag(value)) return value
  try {
    return uint(64)(value)
  } catch {
    throw noVariant('PreEip1898BlockSpec')
  }
}

/** Index of a transaction in its block. */
export const index: Reader = (value) => {
  const number = BigInt(String(uint(256)(value)))
  if (number < 1n << 64n) return `0x${number.toString(16)}`
  throw new RpcError(-32602, `Transaction index '${number}' is too large`)
}

/** A value or a list of values. */
export function oneOrMore(reader: Reader): Reader {
  return (value) => {
    try {
      return Array.isArray(value) ? value.map((one: unknown) => reader(one)) : reader(value)
    } catch {
      throw noVariant('OneOrMore')
    }
  }
}

const dataMembers = ['types', 'primaryType', 'domain', 'message']

/** Typed data (EIP-712), as an object or as JSON text. */
export const typedData: Reader = (value) => {
  const parsed = typeof value === 'string' ? parseJson(value) : value
  if (isObject(parsed) && dataMembers.every((name) => name in parsed)) return parsed
  throw new InvalidParamsError('The message parameter is an invalid JSON.')
}

function parseJson(given: string): unknown {
  try {
    return JSON.parse(given) as unknown
  } catch {
    return undefined
  }
}

/**
 * Members of an object that hardhat knows, nullable by default; others are ignored. A list has their values in order.
 *
 * @param options.aliases - other names of members
 * @param options.notNull - members that may not be null
 */
export function record(
  expected: string,
  fields: Readonly<Record<string, Reader>>,
  {
    aliases = {},
    notNull = [],
  }: { aliases?: Readonly<Record<string, string>>; notNull?: readonly string[] } = {},
): (value: unknown) => Record<string, unknown> {
  const names = Object.keys(fields)
  return (value) => {
    if (Array.isArray(value)) return readEntries(named(value, names, expected))
    if (!isObject(value)) throw mismatch(value, expected, 'integers')
    return readEntries(Object.entries(value))
  }
  function readEntries(entries: Iterable<[string, unknown]>): Record<string, unknown> {
    const read: Record<string, unknown> = {}
    for (const [given, member] of entries) {
      const name = aliases[given] ?? given
      const reader = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (reader === undefined) continue
      if (name in read) throw new InvalidParamsError(`duplicate field \`${name}\``)
      read[name] = notNull.includes(name) ? reader(member) : option(reader)(member)
    }
    return read
  }
}

/** Names the values of a list, one by one: an invalid value is reported before a wrong length. */
function* named(
  values: readonly unknown[],
  names: readonly string[],
  expected: string,
): Generator<[string, unknown]> {
  for (const [index, name] of names.entries()) {
    if (index === values.length) {
      throw new InvalidParamsError(
        `invalid length ${values.length}, expected ${expected} with ${names.length} elements`,
      )
    }
    yield [name, values[index]]
  }
  if (values.length > names.length) throw new InvalidParamsError('trailing characters')
}
