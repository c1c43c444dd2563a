/** What RLP encodes: a byte string, or a list of such. */
export type RlpInput = Uint8Array | readonly RlpInput[]

/**
 * The RLP of a byte string or of nested lists. The whole is measured first and then written into one array, where
 * @ethereumjs/rlp makes and joins an array for every item and every list.
 */
export function encodeRlp(input: RlpInput): Uint8Array {
  const payloads: number[] = []
  const bytes = new Uint8Array(measure(input, payloads))
  new RlpWriter(bytes, payloads).write(input)
  return bytes
}

/** Bytes of the RLP of an input. The payload length of every list in it is noted, outer lists before inner ones. */
function measure(input: RlpInput, payloads: number[]): number {
  if (input instanceof Uint8Array) {
    return isItsOwnRlp(input) ? 1 : headerLength(input.length) + input.length
  }
  const index = payloads.push(0) - 1
  let payload = 0
  for (const item of input) payload += measure(item, payloads)
  payloads[index] = payload
  return headerLength(payload) + payload
}

function isItsOwnRlp(bytes: Uint8Array): boolean {
  return bytes.length === 1 && (bytes[0] as number) < 0x80
}

function headerLength(payload: number): number {
  return payload < 56 ? 1 : 1 + bytesOf(payload)
}

/** How many bytes a length takes. */
function bytesOf(length: number): number {
  return length < 0x100 ? 1 : length < 0x10000 ? 2 : length < 0x1000000 ? 3 : 4
}

class RlpWriter {
  readonly #bytes: Uint8Array
  readonly #payloads: readonly number[]
  #list = 0
  #position = 0

  constructor(bytes: Uint8Array, payloads: readonly number[]) {
    this.#bytes = bytes
    this.#payloads = payloads
  }

  write(input: RlpInput): void {
    if (input instanceof Uint8Array) {
      if (!isItsOwnRlp(input)) this.#writeHeader(input.length, 0x80)
      this.#bytes.set(input, this.#position)
      this.#position += input.length
      return
    }
    this.#writeHeader(this.#payloads[this.#list++] as number, 0xc0)
    for (const item of input) this.write(item)
  }

  #writeHeader(payload: number, base: number): void {
    if (payload < 56) {
      this.#bytes[this.#position++] = base + payload
      return
    }
    const count = bytesOf(payload)
    this.#bytes[this.#position++] = base + 55 + count
    for (let i = count - 1; i >= 0; i--) this.#bytes[this.#position++] = payload >>> (8 * i)
  }
}
