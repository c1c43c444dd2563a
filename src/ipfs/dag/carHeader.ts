import { CID } from 'multiformats/cid'
import { FileNetworkError } from '../errors.js'
import { goQuote } from '../text/goQuote.js'

/** A malformed or truncated CAR, or one with a block that does not match its CID. */
export class CarError extends FileNetworkError {}

/**
 * Checks the decoded header of a CAR.
 *
 * @returns its version, 0 if it has none, and its roots, which are not checked
 * @throws {@link CarError} with the messages of go-car and refmt
 */
export function headerFields(header: unknown): { version: number; roots: readonly unknown[] } {
  if (header === null) return { version: 0, roots: [] }
  if (!isMap(header)) throw new CarError(`invalid header: ${misplaced(header, 'map')}`)
  let version = 0
  let roots: readonly unknown[] = []
  for (const [key, value] of Object.entries(header)) {
    if (key === 'version') {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
        throw new CarError(`invalid header: ${unassignable(value, 'uint64')}`)
      }
      version = value
    } else if (key !== 'roots') {
      throw new CarError(
        `invalid header: unmarshal error: stream contains key ${goQuote(key)}, but there's no such field in structs of type carv1.CarHeader`,
      )
    } else if (Array.isArray(value)) roots = value
    else if (value !== null) throw new CarError(`invalid header: ${misplaced(value, 'array')}`)
  }
  return { version, roots }
}

/** Says that a value cannot be assigned to a field. */
export function unassignable(value: unknown, field: 'uint64' | 'slice'): string {
  const isScalar = typeof value !== 'object' || value === null || value instanceof Uint8Array
  if (!isScalar) return misplaced(value, 'array')
  return `unmarshal error: cannot assign <${token(value)}> to ${field} field`
}

function misplaced(value: unknown, expected: 'map' | 'array'): string {
  return `malformed stream: invalid appearance of ${kindOf(value)} token; expected start of ${expected}`
}

function isMap(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array) &&
    CID.asCID(value) === null
  )
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array open'
  if (isMap(value)) return 'map open'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value !== 'number') return 'bytes'
  return Number.isInteger(value) ? (value < 0 ? 'int' : 'uint') : 'float'
}

/** Formats a scalar as refmt shows it. */
function token(value: unknown): string {
  if (value === null) return '0'
  if (typeof value === 'string') return `s:${goQuote(value)}`
  if (typeof value === 'boolean') return `b:${value}`
  if (typeof value !== 'number') return `x:${Buffer.from(value as Uint8Array).toString('hex')}`
  return `${Number.isInteger(value) ? (value < 0 ? 'i' : 'u') : 'f'}:${value}`
}
