import type * as z from 'zod'

/** The bytes are not a state dump; the message says what is wrong. */
export class StateDumpError extends Error {
  override readonly name = 'StateDumpError'
}

/**
 * Reads a part of a dump.
 *
 * @param path - of the part, for the error message
 * @throws StateDumpError if it does not match the schema
 */
export function readPart<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: readonly PropertyKey[],
): z.output<Schema> {
  const found = schema.safeParse(value)
  if (found.success) return found.data
  const [issue] = found.error.issues
  const place = [...path, ...(issue?.path ?? [])].join('.')
  throw new StateDumpError(`Failed to decode state dump: ${place} ${issue?.message ?? ''}`)
}
