const escaped = /[<>&\u2028\u2029]/g

/** JSON as Go's encoder writes it: `<`, `>`, `&` and the two line separators as escapes. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    escaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The same with a newline behind it. */
export function goJsonLine(value: unknown): string {
  return `${goJson(value)}\n`
}

/** Go's `omitempty`: the fields of an object that are not zero, empty or absent. */
export function omitEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== '' && value !== 0 && value !== false,
    ),
  )
}

/** A time as Go's JSON has it: RFC 3339 in UTC with as many digits of the second as needed. */
export function formatGoTime(time: { seconds: bigint; nanoseconds: number }): string {
  const date = new Date(Number(time.seconds) * 1000).toISOString().slice(0, 19)
  const fraction = String(time.nanoseconds).padStart(9, '0').replace(/0+$/, '')
  return fraction === '' ? `${date}Z` : `${date}.${fraction}Z`
}
