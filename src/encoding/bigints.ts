/** The largest numbers of 64 and 256 bits. */
export const MAX_UINT64 = 2n ** 64n - 1n
export const MAX_UINT256 = 2n ** 256n - 1n

/** Returns the smaller of two numbers. */
export function minBigint(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** Returns the larger of two numbers. */
export function maxBigint(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
