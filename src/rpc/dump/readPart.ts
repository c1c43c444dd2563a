import type * as z from 'zod'
import { StateDumpError } from './errors.js'

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
