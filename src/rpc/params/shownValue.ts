import { keysOf } from '../../encoding/jsonKeys.js'

/** Characters of a text, and values in all, that are shown. */
const MAX_CHARACTERS = 1024
const MAX_VALUES = 100

class TooManyValuesError extends Error {}

/**
 * Returns a caller's value as JSON for an error message. Long texts are cut, and arrays and objects with many members
 * are only named: writing out a whole request would hold up others.
 */
export function shownValue(value: unknown): string {
  let room = MAX_VALUES
  const show = (_: string, member: unknown): unknown => {
    if (typeof member === 'string' && member.length > MAX_CHARACTERS) {
      return `${member.slice(0, MAX_CHARACTERS)}…`
    }
    if (typeof member === 'object' && member !== null) {
      room -= Array.isArray(member) ? member.length : keysOf(member).length
      if (room < 0) throw new TooManyValuesError()
    }
    return member
  }
  try {
    return JSON.stringify(value, show) ?? 'undefined'
  } catch (error) {
    if (!(error instanceof TooManyValuesError)) throw error
    return Array.isArray(value) ? 'a long array' : 'a large object'
  }
}
