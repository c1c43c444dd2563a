import { FileNetworkError } from '../errors.js'

/** A float without a fraction. IPLD and CBOR distinguish it from an integer, but JavaScript does not. */
export class WholeFloat {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  /** Whether its JSON text equals that of a JavaScript integer. */
  get isPlain(): boolean {
    return Number.isSafeInteger(this.value) && !Object.is(this.value, -0)
  }

  toJSON(): number {
    return this.value
  }

  /**
   * Formats the number for JSON (refmt, as used by go-ipld-prime): without a point, with the sign of a negative zero.
   */
  toString(): string {
    return Object.is(this.value, -0) ? '-0' : String(this.value)
  }
}

/** NaN or an infinity cannot be encoded in JSON (Go, `json.UnsupportedValueError`). */
export class UnsupportedNumberError extends FileNetworkError {
  constructor(value: number) {
    super(`unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`)
  }
}

/** Unwraps {@link WholeFloat}s, for codecs that encode both kinds alike. */
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
