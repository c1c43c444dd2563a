/** The largest balance: balances are 256-bit numbers. */
export const MAX_BALANCE = 2n ** 256n - 1n

/** A balance that gets wei from nobody who could be refused: it stops at the largest one, as in anvil. */
export function increased(balance: bigint, wei: bigint): bigint {
  const sum = balance + wei
  return sum > MAX_BALANCE ? MAX_BALANCE : sum
}
