import type * as z from 'zod'

/** Bytes that are no dump of a state; the message names what is wrong. */
export class StateDumpError extends Error {
  override readonly name = 'StateDumpError'
}

/**
 * Reads a part of a dump.
 *
 * @param path - where it stands
 * @throws StateDumpError if it is not what the schema says
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
