/** Returns the smaller of two numbers. */
export function minBigint(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** Returns the larger of two numbers. */
export function maxBigint(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
