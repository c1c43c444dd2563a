import { CID } from 'multiformats/cid'

/** Bytes that are no CID; the message is go-cid's. */
export class CastError extends Error {}

/**
 * The CID that bytes are, version 0 or 1, without anything behind it (go-cid, `cid.go`).
 *
 * @throws {@link CastError}
 */
export function castCid(bytes: Uint8Array): CID {
  if (bytes.length === 34 && bytes[0] === 0x12 && bytes[1] === 0x20) return CID.decode(bytes)
  const reader = new VarintReader(bytes)
  const version = reader.read()
  if (version !== 1n)
    throw new CastError(`invalid cid: expected 1 as the cid version number, got: ${version}`)
  reader.read()
  if (reader.left < 2) throw new CastError('invalid cid: multihash too short. must be >= 2 bytes')
  reader.read()
  const length = reader.read()
  if (length > BigInt(reader.left)) {
    throw new CastError('invalid cid: length greater than remaining number of bytes in buffer')
  }
  if (length < BigInt(reader.left)) throw new CastError('trailing bytes in data buffer passed to cid Cast')
  return CID.decode(bytes)
}

/** Unsigned varints of up to 63 bits, one behind the other. */
class VarintReader {
  private position = 0
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** Bytes that have not been read. */
  get left(): number {
    return this.bytes.length - this.position
  }

  read(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 63n; shift += 7n) {
      const byte = this.bytes[this.position++]
      if (byte === undefined) throw new CastError('invalid cid: varints malformed, could not reach the end')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new CastError('invalid cid: varints larger than uint63 not supported')
  }
}
