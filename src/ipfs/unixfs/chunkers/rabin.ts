import type { Chunker } from '../chunker.js'
import { contentDefined } from './contentDefined.js'

/** The polynomial of IPFS's Rabin fingerprints, degree 53 (boxo, `chunker/rabin.go`). */
const POLYNOMIAL = 17437180132763653n
const DEGREE = 53
const WINDOW = 16

/** 53-bit values by byte, split into the upper 21 and the lower 32 bits. */
interface Table {
  high: Uint32Array
  low: Uint32Array
}

interface Tables {
  /** Contribution of the byte that leaves the window. */
  out: Table
  /** Reduces the 8 bits above the degree modulo the polynomial. */
  reduce: Table
}

let tables: Tables | undefined

/**
 * Cuts chunks where the Rabin fingerprint of the last 16 bytes ends in log2(average) zero bits (boxo,
 * `chunker/rabin.go`).
 */
export function rabin(sizes: { min: number; average: number; max: number }): Chunker {
  const { min, average, max } = sizes
  const mask = 2 ** Math.floor(Math.log2(average)) - 1
  return contentDefined(max, (bytes) => findEnd(bytes, { min, max, mask }))
}

function findEnd(bytes: Uint8Array, { min, max, mask }: { min: number; max: number; mask: number }): number {
  const limit = Math.min(bytes.length, max)
  if (limit <= min) return limit
  tables ??= makeTables()
  const { out, reduce } = tables
  let high = 0
  let low = 0
  for (let position = min - WINDOW; position < limit; position++) {
    const leaving = position - WINDOW < min - WINDOW ? 0 : (bytes[position - WINDOW] as number)
    high ^= out.high[leaving] as number
    low ^= out.low[leaving] as number
    const top = high >>> 13
    high = ((high << 8) | (low >>> 24)) ^ (reduce.high[top] as number)
    low = ((low << 8) | (bytes[position] as number)) ^ (reduce.low[top] as number)
    if (position + 1 >= min && (low & mask) === 0) return position + 1
  }
  return limit
}

function makeTables(): Tables {
  return {
    out: makeTable((byte) => remainder(byte << BigInt(8 * (WINDOW - 1)))),
    reduce: makeTable((byte) => remainder(byte << BigInt(DEGREE)) | (byte << BigInt(DEGREE))),
  }
}

/** Builds a table from single-bit values: over GF(2), the value of a byte is the XOR of those of its bits. */
function makeTable(valueOf: (byte: bigint) => bigint): Table {
  const high = new Uint32Array(256)
  const low = new Uint32Array(256)
  for (let bit = 1; bit < 256; bit *= 2) {
    const value = valueOf(BigInt(bit))
    for (let rest = 0; rest < bit; rest++) {
      high[bit + rest] = (high[rest] as number) ^ Number(value >> 32n)
      low[bit + rest] = (low[rest] as number) ^ Number(value & 0xffffffffn)
    }
  }
  return { high, low }
}

/** Returns the remainder of a division by the fingerprint polynomial over GF(2). */
function remainder(value: bigint): bigint {
  let rest = value
  for (let bit = 160; bit >= DEGREE; bit--) {
    if ((rest >> BigInt(bit)) & 1n) rest ^= POLYNOMIAL << BigInt(bit - DEGREE)
  }
  return rest
}
