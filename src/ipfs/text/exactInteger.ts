/** A 64-bit integer that JSON shows with all its digits. */
export class ExactInteger {
  readonly #value: bigint

  constructor(value: bigint) {
    this.#value = value
  }

  toString(): string {
    return String(this.#value)
  }

  /** Marks the digits with a surrogate that no text has alone. */
  toJSON(): string {
    return `\udd00${this.#value}`
  }
}

/** Returns an integer as a number, or with all its digits if a number cannot hold it. */
export function exactInteger(value: bigint): number | ExactInteger {
  return Number.isSafeInteger(Number(value)) ? Number(value) : new ExactInteger(value)
}
