/** Parses an integer in Go's syntax: decimal, `0x…`, `0b…`, `0o…` or octal with a leading 0; `_` between digits. */
export function parseGoInteger(text: string): bigint | undefined {
  const match =
    /^([+-]?)(0x(?:_?[0-9a-f])+|0b(?:_?[01])+|0o(?:_?[0-7])+|0(?:_?[0-7])*|[1-9](?:_?\d)*)$/i.exec(text)
  const digits = match?.[2]?.replaceAll('_', '')
  if (match === null || digits === undefined) return undefined
  const value = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits)
  return match[1] === '-' ? -value : value
}
