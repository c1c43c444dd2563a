/** What RLP encodes: a byte string, or a list of such. */
export type RlpInput = Uint8Array | EncodedItem | readonly RlpInput[]

/** An item that is encoded already and stands in a list as it is. */
export class EncodedItem {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/**
 * The RLP of a byte string or of nested lists. The whole is measured first and then written into one array, where
 * @ethereumjs/rlp makes and joins an array for every item and every list.
 *
 * @param room - so many zero bytes are left in front
 */
export function encodeRlp(input: RlpInput, room = 0): Uint8Array {
  const payloads: number[] = []
  const bytes = new Uint8Array(room + measure(input, payloads))
  new RlpWriter(bytes, payloads, room).write(input)
  return bytes
}

/** Bytes of the RLP of an input. The payload length of every list in it is noted, outer lists before inner ones. */
function measure(input: RlpInput, payloads: number[]): number {
  if (input instanceof Uint8Array) {
    return isItsOwnRlp(input) ? 1 : headerLength(input.length) + input.length
  }
  if (input instanceof EncodedItem) return input.bytes.length
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
  #position: number

  constructor(bytes: Uint8Array, payloads: readonly number[], position: number) {
    this.#bytes = bytes
    this.#payloads = payloads
    this.#position = position
  }

  write(input: RlpInput): void {
    if (input instanceof Uint8Array) {
      if (!isItsOwnRlp(input)) this.#writeHeader(input.length, 0x80)
      return this.#writeBytes(input)
    }
    if (input instanceof EncodedItem) return this.#writeBytes(input.bytes)
    this.#writeHeader(this.#payloads[this.#list++] as number, 0xc0)
    for (const item of input) this.write(item)
  }

  #writeBytes(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#position)
    this.#position += bytes.length
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
