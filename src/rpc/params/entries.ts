import { keysOf } from '../../encoding/json.js'
import type { Decoder } from './parameter.js'
import { jsonTypeName, TypeMismatchError } from './decodeError.js'
import { inPieces } from './inPieces.js'

/** Members that are decoded at once. */
const MEMBERS_AT_ONCE = 64

/**
 * An object whose names and members are each decoded alike, as a list of what is made of both.
 *
 * @param type - the name of its Go type
 */
export function entries<Name, Member, T>(
  { name, member, type }: { name: Decoder<Name>; member: Decoder<Member>; type: string },
  combine: (name: Name, member: Member) => T,
): Decoder<T[]> {
  const decodeOne = (given: Readonly<Record<string, unknown>>, key: string): T => {
    const decoded = name.decode(key)
    return combine(decoded, member.decode(given[key]))
  }
  return {
    schema: { type: 'object', propertyNames: name.schema, additionalProperties: member.schema },
    decode(value) {
      const given = members(value, type)
      return Object.keys(given).map((key) => decodeOne(given, key))
    },
    *decodeInPieces(value) {
      const given = members(value, type)
      const all: T[] = []
      for (const key of keysOf(given)) {
        const decoded = name.decode(key)
        all.push(combine(decoded, yield* inPieces(member, given[key])))
        if (all.length % MEMBERS_AT_ONCE === 0) yield
      }
      return all
    },
  }
}

function members(value: unknown, type: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeMismatchError(jsonTypeName(value), type)
  }
  return value as Record<string, unknown>
}
