/**
 * Values as console.log of hardhat and forge print them: if the first is a text, its placeholders take the values
 * behind it; what is left follows after spaces.
 */
export function formatLog(values: readonly unknown[]): string {
  const [first, ...rest] = values
  if (typeof first !== 'string') return values.map(show).join(' ')
  const waiting = [...rest]
  const text = first.replace(/%([%sdioOxj])/g, (placeholder: string, kind: string) => {
    if (kind === '%') return '%'
    return waiting.length === 0 ? placeholder : place(kind, waiting.shift())
  })
  return [text, ...waiting.map(show)].join(' ')
}

function place(kind: string, value: unknown): string {
  if (kind === 'x') return typeof value === 'bigint' ? `0x${value.toString(16)}` : show(value)
  if (kind !== 'd' && kind !== 'i') return show(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'boolean') return value ? '1' : '0'
  return /^-?\d+$/.test(show(value)) ? show(value) : 'NaN'
}

function show(value: unknown): string {
  return String(value)
}
