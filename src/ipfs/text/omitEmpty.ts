/** Drops zero, empty and absent fields of an object, like Go's `omitempty`. */
export function omitEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== '' && value !== 0 && value !== false,
    ),
  )
}
