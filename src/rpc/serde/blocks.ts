import { InvalidParamsError } from '../errors.js'
import { isBlockTag } from '../params/blockSelector.js'
import { type Reader, boolean, hash, isObject, mismatch, text, unknownField } from './readers.js'

/** Larger numbers are beyond every block, and methods do not accept them. */
const MAX_NUMBER = 2n ** 63n - 1n

/** Parses an integer in the given base (Rust: u64::from_str_radix). */
function parseU64(digits: string, base: 10 | 16, prefix = ''): string {
  const refused = (why: string): InvalidParamsError => new InvalidParamsError(prefix + why)
  if (digits === '') throw refused('cannot parse integer from empty string')
  if (!(base === 16 ? /^[0-9a-fA-F]+$/ : /^[0-9]+$/).test(digits))
    throw refused('invalid digit found in string')
  const number = BigInt(base === 16 ? `0x${digits}` : digits)
  if (number >= 1n << 64n) throw refused('number too large to fit in target type')
  return `0x${(number < MAX_NUMBER ? number : MAX_NUMBER).toString(16)}`
}

function numberOrTag(given: string): string {
  const tag = given.toLowerCase()
  if (isBlockTag(tag)) return tag
  if (!tag.startsWith('0x')) throw new InvalidParamsError('hex string without 0x prefix')
  return parseU64(tag.slice(2), 16)
}

/** A block number or tag as text (alloy: BlockNumberOrTag). */
export const blockText: Reader = (value) => numberOrTag(String(text('unnamed')(value)))

/** A block number or tag that may also be a JSON number or decimal text (alloy: lenient_block_number). */
export const blockNumber: Reader = (value) => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return `0x${value.toString(16)}`
  if (typeof value !== 'string') throw mismatch(value, 'a block number or tag, or a u64')
  return /^[0-9]+$/.test(value) ? parseU64(value, 10) : numberOrTag(value)
}

const members = ['blockNumber', 'blockHash', 'requireCanonical']

/** A block by number, tag, hash or EIP-1898 object (alloy: BlockId). */
export const blockId: Reader = (value) => {
  if (typeof value === 'string')
    return value.length === 66 && value.startsWith('0x') ? hash(value) : numberOrTag(value)
  if (!isObject(value)) throw mismatch(value, 'Block identifier following EIP-1898')
  const read: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (!members.includes(name)) throw unknownField(name, members)
    const isOther = 'blockNumber' in read || ('blockHash' in read && name !== 'requireCanonical')
    if (isOther) throw new InvalidParamsError(`duplicate field \`${name}\``)
    const reader = name === 'blockNumber' ? blockText : name === 'blockHash' ? hash : boolean('unnamed')
    read[name] = reader(member)
  }
  if ('blockNumber' in read || 'blockHash' in read) return read
  throw new InvalidParamsError('Expected `blockNumber` or `blockHash` with `requireCanonical` optionally')
}

/** Index of a transaction in its block (alloy: Index). */
export const index: Reader = (value) => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return `0x${value.toString(16)}`
  if (typeof value !== 'string') throw mismatch(value, 'hex-encoded or decimal index')
  return value.startsWith('0x')
    ? parseU64(value.slice(2), 16, 'Failed to parse hex encoded index value: ')
    : parseU64(value, 10, 'Failed to parse numeric index: ')
}
