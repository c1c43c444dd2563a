import { FileNetworkError } from '../errors.js'

/**
 * A floating-point number without a fraction. It is none of IPLD's integers, and CBOR keeps the two apart, but
 * JavaScript does not.
 */
export class WholeFloat {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  /** Whether an integer of JavaScript has the same text in JSON. */
  get isPlain(): boolean {
    return Number.isSafeInteger(this.value) && !Object.is(this.value, -0)
  }

  toJSON(): number {
    return this.value
  }

  /** The number in JSON (refmt, as go-ipld-prime has it): no point, and the negative zero with its sign. */
  toString(): string {
    return Object.is(this.value, -0) ? '-0' : String(this.value)
  }
}

/** Whether a number is none that JSON and IPLD's data model have. */
export function isOddNumber(value: number): boolean {
  return !Number.isFinite(value)
}

/** Such a number is to be written in JSON (Go, `json.UnsupportedValueError`). */
export class UnsupportedNumberError extends FileNetworkError {
  constructor(value: number) {
    super(`unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`)
  }
}

/** The same data with plain numbers, for codecs that write both kinds alike. */
export function withPlainNumbers(value: unknown): unknown {
  if (value instanceof WholeFloat) return value.value
  if (Array.isArray(value)) return value.some(isComposed) ? value.map(withPlainNumbers) : value
  if (!isPlainObject(value)) return value
  const members = Object.entries(value)
  if (!members.some(([, member]) => isComposed(member))) return value
  const result: Record<string, unknown> = {}
  for (const [name, member] of members) {
    const plain = { value: withPlainNumbers(member), configurable: true, enumerable: true, writable: true }
    Object.defineProperty(result, name, plain)
  }
  return result
}

function isComposed(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
