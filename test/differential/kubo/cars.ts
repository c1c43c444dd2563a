/** Converts a CAR to version 2: pragma, header with offsets, the CAR itself, and an optional index. */
export function carVersion2(
  car: Buffer,
  { withIndex, padding }: { withIndex: boolean; padding: number },
): Buffer {
  const header = Buffer.alloc(40)
  const start = 11 + header.length + padding
  header.writeBigUInt64LE(BigInt(start), 16)
  header.writeBigUInt64LE(BigInt(car.length), 24)
  // An index of sorted digests that holds none (codec 0x0400).
  const index = Buffer.from('8008' + '00000000', 'hex')
  if (withIndex) header.writeBigUInt64LE(BigInt(start + car.length), 32)
  const pragma = Buffer.from('0aa16776657273696f6e02', 'hex')
  return Buffer.concat([pragma, header, Buffer.alloc(padding), car, ...(withIndex ? [index] : [])])
}

/** Joins the blocks of two CARs under the header of the first. */
export function joinedCars(one: Buffer, other: Buffer): Buffer {
  const [length, width] = varint(other)
  return Buffer.concat([one, other.subarray(width + length)])
}

/** Decodes an unsigned varint of a CAR. @returns the number and its length in bytes */
function varint(bytes: Uint8Array): [value: number, width: number] {
  let value = 0
  for (let width = 0; ; width++) {
    const byte = bytes[width] ?? 0
    value += (byte & 0x7f) * 2 ** (7 * width)
    if (byte < 0x80) return [value, width + 1]
  }
}
