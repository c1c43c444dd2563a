import type * as z from 'zod'
import { readHexDigitsInSteps } from '../../encoding/hex.js'
import { type TimeSlice, runWithin } from '../../encoding/timeSlice.js'

/** Where a part is in a dump, for error messages. */
export type Path = readonly PropertyKey[]

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
  path: Path,
): z.output<Schema> {
  const found = schema.safeParse(value)
  if (found.success) return found.data
  const [issue] = found.error.issues
  throw unreadable([...path, ...(issue?.path ?? [])], issue?.message ?? '')
}

/**
 * Decodes hexadecimal digits after `0x`, yielding to other work if there are many.
 *
 * @throws StateDumpError if the text has other characters, or an odd number of digits
 */
export async function readBytes(text: string, path: Path, slice: TimeSlice): Promise<Uint8Array> {
  const bytes = await runWithin(readHexDigitsInSteps(text, 2), slice)
  if (bytes === undefined) throw unreadable(path, 'not hexadecimal')
  if (text.length % 2 !== 0) throw unreadable(path, 'an odd number of digits')
  return bytes
}

function unreadable(path: Path, reason: string): StateDumpError {
  return new StateDumpError(`Failed to decode state dump: ${path.join('.')}: ${reason}`)
}
