import { keysOf } from '../../encoding/json.js'
import type { Steps } from '../../encoding/timeSlice.js'
import type { JsonSchema } from '../wire.js'
import type { Decoder } from './parameter.js'
import { jsonTypeName, TypeMismatchError } from './decodeError.js'
import { inPieces } from './inPieces.js'

/** The members a struct may have, each with its decoder. */
export type Fields = Readonly<Record<string, Decoder<unknown>>>

/** What a struct decodes to; a member that is missing or null is undefined. */
export type Decoded<F extends Fields> = {
  [K in keyof F]?: F[K] extends Decoder<infer T> ? T | undefined : never
}

/** How the Go struct behind an object is called. */
export interface StructNames {
  /** Without package, as it stands before a member: `TransactionArgs`. */
  struct: string
  /** With package, as it stands when the value is no object: `ethapi.TransactionArgs`. */
  type: string
  /** Whether members are told by their Go names, which begin with a capital. */
  capitalised?: boolean
}

/** Members that are looked at at once. */
const MEMBERS_AT_ONCE = 64

/**
 * An object with known members; others are ignored.
 *
 * Names match exactly or else whatever their case, and null is an empty object (Go: encoding/json).
 */
export function struct<const F extends Fields>(names: StructNames, fields: F): Decoder<Decoded<F>> {
  const exact = new Map(Object.entries(fields).map(([name, decoder]) => [name, { name, decoder }]))
  const folded = new Map([...exact.values()].map((field) => [field.name.toLowerCase(), field]))
  return {
    schema: objectSchema(fields),
    decode(value) {
      const decoded: Record<string, unknown> = {}
      const members = membersOf(value, names)
      for (const given of Object.keys(members)) {
        const member = members[given]
        const field = exact.get(given) ?? folded.get(given.toLowerCase())
        if (field === undefined || member === null || member === undefined) continue
        decoded[field.name] = decodeMember(field.decoder, member, names, field.name)
      }
      return decoded as Decoded<F>
    },
    *decodeInPieces(value) {
      const decoded: Record<string, unknown> = {}
      const members = membersOf(value, names)
      for (const [index, given] of keysOf(members).entries()) {
        if (index % MEMBERS_AT_ONCE === MEMBERS_AT_ONCE - 1) yield
        const member = members[given]
        const field = exact.get(given) ?? folded.get(given.toLowerCase())
        if (field === undefined || member === null || member === undefined) continue
        decoded[field.name] =
          field.decoder.decodeInPieces === undefined
            ? decodeMember(field.decoder, member, names, field.name)
            : yield* decodeMemberInPieces(field.decoder, member, names, field.name)
      }
      return decoded as Decoded<F>
    },
  }
}

const noMembers = {}

function membersOf(value: unknown, { type }: StructNames): Readonly<Record<string, unknown>> {
  if (value === null) return noMembers
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new TypeMismatchError(jsonTypeName(value), type)
  }
  return value as Record<string, unknown>
}

function decodeMember(decoder: Decoder<unknown>, value: unknown, names: StructNames, name: string): unknown {
  try {
    return decoder.decode(value)
  } catch (error) {
    throw placed(error, names, name)
  }
}

function* decodeMemberInPieces(
  decoder: Decoder<unknown>,
  value: unknown,
  names: StructNames,
  name: string,
): Steps<unknown> {
  try {
    return yield* inPieces(decoder, value)
  } catch (error) {
    throw placed(error, names, name)
  }
}

/** What a member threw, with its place if it tells one. */
function placed(error: unknown, names: StructNames, name: string): unknown {
  if (!(error instanceof TypeMismatchError)) return error
  return error.inside(names.struct, names.capitalised ? name.charAt(0).toUpperCase() + name.slice(1) : name)
}

function objectSchema(fields: Fields): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  for (const [name, decoder] of Object.entries(fields)) properties[name] = decoder.schema
  return { type: 'object', properties }
}
