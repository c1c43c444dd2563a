/** What RLP encodes: a byte string, or a list of such. */
export type RlpInput = Uint8Array | readonly RlpInput[]

/**
 * The RLP of a byte string or of nested lists. The whole is measured first and then written into one array, where
 * @ethereumjs/rlp makes and joins an array for every item and every list.
 */
export function encodeRlp(input: RlpInput): Uint8Array {
  const bytes = new Uint8Array(lengthOf(input))
  write(bytes, 0, input)
  return bytes
}

/** Bytes of the RLP of an input. */
function lengthOf(input: RlpInput): number {
  if (input instanceof Uint8Array && isItsOwnRlp(input)) return 1
  const payload = payloadLength(input)
  return headerLength(payload) + payload
}

function payloadLength(input: RlpInput): number {
  if (input instanceof Uint8Array) return input.length
  let length = 0
  for (const item of input) length += lengthOf(item)
  return length
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

/** Writes the RLP of an input at a position and returns where it ends. */
function write(into: Uint8Array, position: number, input: RlpInput): number {
  if (!(input instanceof Uint8Array)) {
    let at = writeHeader(into, position, payloadLength(input), 0xc0)
    for (const item of input) at = write(into, at, item)
    return at
  }
  const start = isItsOwnRlp(input) ? position : writeHeader(into, position, input.length, 0x80)
  into.set(input, start)
  return start + input.length
}

function writeHeader(into: Uint8Array, position: number, payload: number, base: number): number {
  if (payload < 56) {
    into[position] = base + payload
    return position + 1
  }
  const count = bytesOf(payload)
  into[position] = base + 55 + count
  for (let i = 0; i < count; i++) into[position + 1 + i] = payload >>> (8 * (count - 1 - i))
  return position + 1 + count
}
