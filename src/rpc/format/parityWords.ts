const exact: ReadonlyMap<string, string> = new Map([
  ['contract creation code storage out of gas', 'Out of gas'],
  ['out of gas', 'Out of gas'],
  ['gas uint64 overflow', 'Out of gas'],
  ['max code size exceeded', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  ['execution reverted', 'Reverted'],
  ['return data out of bounds', 'Out of bounds'],
  ['stack limit reached 1024 (1023)', 'Out of stack'],
  ['precompiled failed', 'Built-in failed'],
  ['invalid input length', 'Built-in failed'],
])

const byBeginning: readonly (readonly [beginning: string, words: string])[] = [
  ['invalid opcode:', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
]

/** A failure in Parity's words; those that Parity has none for stay as they are (geth: native/call_flat.go). */
export function parityWords(failure: string): string {
  const known = exact.get(failure) ?? byBeginning.find(([beginning]) => failure.startsWith(beginning))?.[1]
  return known ?? failure
}
