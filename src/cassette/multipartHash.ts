import { createHash, type Hash } from 'node:crypto'

/** What stands for the delimiter, which clients choose at random. */
const FIXED_BOUNDARY = Buffer.from('boundary')

/**
 * Hashes a body as it passes. The delimiter of a multipart body does not count, so that the same upload has the same hash
 * every time.
 */
export class BodyHash {
  readonly #hash: Hash = createHash('sha256')
  readonly #boundary: Buffer | undefined
  /** Bytes at the end that may be the beginning of a delimiter. */
  #tail = Buffer.alloc(0)

  /** @param contentType - the body's, with the delimiter of a multipart body */
  constructor(contentType: string | undefined) {
    const match = /^multipart\/[^;]+;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '')
    const boundary = match?.[1] ?? match?.[2]
    if (boundary !== undefined) this.#boundary = Buffer.from(boundary)
  }

  update(bytes: Uint8Array): void {
    if (this.#boundary === undefined) {
      this.#hash.update(bytes)
      return
    }
    let data = Buffer.concat([this.#tail, bytes])
    for (let at = data.indexOf(this.#boundary); at !== -1; at = data.indexOf(this.#boundary)) {
      this.#hash.update(data.subarray(0, at)).update(FIXED_BOUNDARY)
      data = data.subarray(at + this.#boundary.length)
    }
    const kept = Math.min(data.length, this.#boundary.length - 1)
    this.#hash.update(data.subarray(0, data.length - kept))
    this.#tail = Buffer.from(data.subarray(data.length - kept))
  }

  /** The hexadecimal SHA-256 of everything. */
  digest(): string {
    return this.#hash.update(this.#tail).digest('hex')
  }
}
