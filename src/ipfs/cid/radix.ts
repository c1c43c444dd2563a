/** Digits converted as one number, which stays below 2^53 in base58. */
const GROUP = 8

/** A positional numeral system for bytes as one large number. */
export interface Radix {
  /** Digits in ascending order. */
  readonly alphabet: string
  readonly values: ReadonlyMap<string, number>
}

/** Creates the numeral system whose digits are the characters of an alphabet, in ascending order. */
export function radixOf(alphabet: string): Radix {
  return { alphabet, values: new Map([...alphabet].map((digit, value) => [digit, value])) }
}

/**
 * Encodes bytes as a large number, with a zero digit for each leading zero byte. The number is split in halves, since
 * repeated division by the base takes quadratic time.
 */
export function encodeInRadix({ alphabet }: Radix, bytes: Uint8Array): string {
  const base = alphabet.length
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  const significant = bytes.subarray(zeros)
  const leading = alphabet.charAt(0).repeat(zeros)
  if (significant.length === 0) return leading

  function write(value: bigint, groups: number): string {
    if (groups === 1) {
      let text = ''
      for (let rest = Number(value); text.length < GROUP; rest = Math.floor(rest / base)) {
        text = alphabet.charAt(rest % base) + text
      }
      return text
    }
    const low = groups >> 1
    const divisor = BigInt(base) ** BigInt(low * GROUP)
    return write(value / divisor, groups - low) + write(value % divisor, low)
  }
  const groups = Math.ceil((significant.length * 8) / Math.log2(base) / GROUP)
  const digits = write(BigInt(`0x${Buffer.from(significant).toString('hex')}`), groups)
  let start = 0
  while (digits[start] === alphabet[0]) start++
  return leading + digits.slice(start)
}

/** Decodes digits of {@link encodeInRadix}. @throws Error for an invalid digit */
export function decodeFromRadix({ alphabet, values }: Radix, digits: string): Uint8Array {
  const base = alphabet.length

  function read(start: number, end: number): bigint {
    if (end - start <= GROUP) {
      let value = 0
      for (let index = start; index < end; index++) {
        const digit = values.get(digits[index] ?? '')
        if (digit === undefined) throw new Error(`no digit: ${digits[index]}`)
        value = value * base + digit
      }
      return BigInt(value)
    }
    const middle = (start + end) >> 1
    return read(start, middle) * BigInt(base) ** BigInt(end - middle) + read(middle, end)
  }
  let zeros = 0
  while (zeros < digits.length && digits[zeros] === alphabet[0]) zeros++
  if (zeros === digits.length) return new Uint8Array(zeros)
  const hex = read(zeros, digits.length).toString(16)
  const significant = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  const bytes = new Uint8Array(zeros + significant.length)
  bytes.set(significant, zeros)
  return bytes
}
