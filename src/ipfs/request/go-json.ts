const escaped = /[<>&\u2028\u2029]/g

/** JSON as Go's encoder writes it: `<`, `>`, `&` and the two line separators as escapes, and a newline. */
export function goJsonLine(value: unknown): string {
  const text = JSON.stringify(value).replace(
    escaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${text}\n`
}

/** Go's `omitempty`: the fields of an object that are not zero, empty or absent. */
export function omitEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== '' && value !== 0 && value !== false,
    ),
  )
}
