/** Longest text of one value; longer ones are cut in the middle of a line, not of a screen. */
const LONGEST = 200

/** Decoded values of the ABI, separated by commas. */
export function showValues(values: readonly unknown[]): string {
  return values.map(showValue).join(', ')
}

function showValue(value: unknown): string {
  if (Array.isArray(value)) return `[${showValues(value)}]`
  if (typeof value === 'object' && value !== null) return `(${showValues(Object.values(value))})`
  const text = typeof value === 'string' && !value.startsWith('0x') ? JSON.stringify(value) : String(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
