/** A mode in octal with a leading zero, at least four digits, such as `0644`. */
export function formatMode(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}
