import { hexToBytes } from '../../encoding/hex.js'

/** An invalid value in a genesis file, identified by its path: `config.shanghaiTime`. */
export class GenesisError extends Error {
  override readonly name = 'GenesisError'
  readonly path: string

  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`)
    this.path = path
  }
}

/** Reads the members of an object in a genesis file, with their paths for error messages. */
export class Fields {
  readonly #members: Readonly<Record<string, unknown>>
  readonly #path: string

  /**
   * @throws GenesisError if the value is not an object
   */
  constructor(value: unknown, path = '') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new GenesisError(path === '' ? 'the file' : path, `expected an object, got ${describe(value)}`)
    }
    this.#members = value as Record<string, unknown>
    this.#path = path
  }

  names(): string[] {
    return Object.keys(this.#members)
  }

  /** Returns the path of a member. */
  path(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`
  }

  /** Whether a member is present and not null. */
  has(name: string): boolean {
    return this.#members[name] !== undefined && this.#members[name] !== null
  }

  /** @throws GenesisError */
  refuse(name: string, reason: string): never {
    throw new GenesisError(this.path(name), reason)
  }

  object(name: string): Fields {
    return new Fields(this.#members[name] ?? {}, this.path(name))
  }

  /** Reads a number of at most `bits` bits: a JSON number, or a decimal or 0x-prefixed hexadecimal string. */
  optionalNumber(name: string, bits = 64): bigint | undefined {
    if (!this.has(name)) return undefined
    const value = this.#members[name]
    const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    const isText = typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value)
    if (!isNumber && !isText) this.refuse(name, `expected a whole number, got ${describe(value)}`)
    const number = BigInt(value)
    if (number >= 1n << BigInt(bits))
      this.refuse(name, `expected at most ${bits} bits, got ${describe(value)}`)
    return number
  }

  number(name: string, bits = 64): bigint {
    return this.optionalNumber(name, bits) ?? this.refuse(name, 'is missing')
  }

  boolean(name: string): boolean | undefined {
    if (!this.has(name)) return undefined
    const value = this.#members[name]
    return typeof value === 'boolean'
      ? value
      : this.refuse(name, `expected true or false, got ${describe(value)}`)
  }

  text(name: string): string | undefined {
    if (!this.has(name)) return undefined
    const value = this.#members[name]
    return typeof value === 'string' ? value : this.refuse(name, `expected a text, got ${describe(value)}`)
  }

  /** Reads hexadecimal bytes, exactly `length` if given. */
  bytes(name: string, length?: number): Uint8Array | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    return bytesOf(text, this.path(name), length)
  }
}

/**
 * Decodes a hexadecimal string with or without 0x.
 *
 * @throws GenesisError
 */
export function bytesOf(text: string, path: string, length?: number): Uint8Array {
  const digits = text.replace(/^0x/i, '')
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) {
    throw new GenesisError(path, `expected bytes in hexadecimal, got ${describe(text)}`)
  }
  const bytes = hexToBytes(digits)
  if (length !== undefined && bytes.length !== length) {
    throw new GenesisError(path, `expected ${length} bytes, got ${bytes.length}`)
  }
  return bytes
}

const MAX_QUOTE_LENGTH = 80

function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text
}
