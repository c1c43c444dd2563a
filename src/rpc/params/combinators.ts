import { keysOf } from '../../encoding/json.js'
import { type Steps, runToCompletion } from '../../encoding/timeSlice.js'
import type { JsonSchema } from '../wire.js'

/** A JSON value that does not fit its type. */
export abstract class DecodeError extends Error {
  /** The words for the caller, without the number of the argument. */
  abstract describe(): string
}

/** A mismatch that is told by its reason alone. */
export class ReasonError extends DecodeError {
  describe(): string {
    return this.message
  }
}

/**
 * A mismatch that is told with the Go type that was expected and where it stood, as Go's encoding/json does
 * (UnmarshalTypeError): clients of geth know these words.
 */
export class TypeMismatchError extends DecodeError {
  readonly reason: string
  readonly type: string
  /** The Go struct that is nearest around the value; empty outside of structs. */
  readonly struct: string
  /** The members from the argument down to the value. */
  readonly path: readonly string[]

  constructor(reason: string, type: string, struct = '', path: readonly string[] = []) {
    super(reason)
    this.reason = reason
    this.type = type
    this.struct = struct
    this.path = path
  }

  /** The same mismatch, seen from the struct that holds the member. */
  inside(struct: string, member: string): TypeMismatchError {
    return new TypeMismatchError(this.reason, this.type, this.struct || struct, [member, ...this.path])
  }

  /** The same mismatch, told by another struct around it. */
  inStruct(struct: string): TypeMismatchError {
    return new TypeMismatchError(this.reason, this.type, struct, this.path)
  }

  /** The same mismatch as it leaves a type that decodes itself: what is inside it is not told. */
  withoutPlace(): TypeMismatchError {
    return new TypeMismatchError(this.reason, this.type)
  }

  describe(): string {
    const place =
      this.struct === ''
        ? `Go value of type ${this.type}`
        : `Go struct field ${this.struct}.${this.path.join('.')} of type ${this.type}`
    return `json: cannot unmarshal ${this.reason} into ${place}`
  }
}

/**
 * A value of another JSON kind than its type wants. Go's encoding/json decodes the rest all the same, so that a failure of
 * a type that decodes itself is told before it; of several, the first is told (decodeState.saveError).
 */
export class KindMismatchError extends TypeMismatchError {
  /** @param type - the name of the Go type */
  static of(value: unknown, type: string): KindMismatchError {
    return new KindMismatchError(jsonTypeName(value), type)
  }

  override inside(struct: string, member: string): KindMismatchError {
    return new KindMismatchError(this.reason, this.type, this.struct || struct, [member, ...this.path])
  }
}

/** The name of a value's JSON type in Go's words. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  if (value === null) return 'null'
  return typeof value
}

/** Turns one JSON value into what methods work on. */
export interface Decoder<T> {
  readonly schema: JsonSchema
  /** @throws DecodeError if the value does not fit. */
  decode(value: unknown): T
  /** The same in pieces. Decoders that take little time for any value have none. */
  decodeInPieces?(value: unknown): Steps<T>
}

/** One positional parameter of a method. */
export interface Parameter<T> {
  readonly name: string
  readonly required: boolean
  readonly decoder: Decoder<T>
}

/** The decoded arguments that belong to a list of parameters. */
export type ArgumentsOf<P extends readonly Parameter<unknown>[]> = {
  [I in keyof P]: P[I] extends Parameter<infer T> ? T : never
}

/**
 * What a decoder makes of a value, in pieces where it may take long.
 *
 * @throws DecodeError if the value does not fit.
 */
export function* inPieces<T>(decoder: Decoder<T>, value: unknown): Steps<T> {
  return decoder.decodeInPieces === undefined ? decoder.decode(value) : yield* decoder.decodeInPieces(value)
}

/** Items that are decoded at once. */
const ITEMS_AT_ONCE = 64

/** A list whose items are all decoded alike, under the name of its Go type; null is an empty list. */
export function list<T>(item: Decoder<T>, type: string): Decoder<T[]> {
  return {
    schema: { type: ['array', 'null'], items: item.schema },
    decode(value) {
      const items: T[] = []
      let mismatch: KindMismatchError | undefined
      for (const element of elements(value, type)) {
        try {
          items.push(item.decode(element))
        } catch (error) {
          mismatch = firstMismatch(mismatch, error)
        }
      }
      if (mismatch !== undefined) throw mismatch
      return items
    },
    *decodeInPieces(value) {
      const items: T[] = []
      let mismatch: KindMismatchError | undefined
      for (const [index, element] of elements(value, type).entries()) {
        if (index % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) yield
        try {
          items.push(
            item.decodeInPieces === undefined ? item.decode(element) : yield* item.decodeInPieces(element),
          )
        } catch (error) {
          mismatch = firstMismatch(mismatch, error)
        }
      }
      if (mismatch !== undefined) throw mismatch
      return items
    },
  }
}

/** The mismatch that is told once everything else was decoded. @throws the error if it is of another sort */
function firstMismatch(known: KindMismatchError | undefined, error: unknown): KindMismatchError {
  if (error instanceof KindMismatchError) return known ?? error
  throw error
}

function elements(value: unknown, type: string): readonly unknown[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw KindMismatchError.of(value, type)
  return value
}

/** A decoder of what is made of another one's values. */
export function mapped<Given, T>(
  decoder: Decoder<Given>,
  convert: (given: Given) => T,
  schema = decoder.schema,
): Decoder<T> {
  return {
    schema,
    decode: (value) => convert(decoder.decode(value)),
    *decodeInPieces(value) {
      return convert(yield* inPieces(decoder, value))
    },
  }
}

/** Members that are decoded at once. */
const ENTRIES_AT_ONCE = 64

/**
 * An object whose names and members are each decoded alike, as a list of what is made of both.
 *
 * @param type - the name of its Go type
 */
export function entries<Name, Member, T>(
  { name, member, type }: { name: Decoder<Name>; member: Decoder<Member>; type: string },
  combine: (name: Name, member: Member) => T,
): Decoder<T[]> {
  /** As in Go, a name is decoded after its member. */
  function* decodeEntries(value: unknown): Steps<T[]> {
    const given = entryMembers(value, type)
    const all: T[] = []
    let mismatch: KindMismatchError | undefined
    for (const [index, key] of keysOf(given).entries()) {
      if (index % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) yield
      let decoded: Member | undefined
      try {
        decoded =
          member.decodeInPieces === undefined
            ? member.decode(given[key])
            : yield* member.decodeInPieces(given[key])
      } catch (error) {
        mismatch = firstMismatch(mismatch, error)
      }
      const own = name.decode(key)
      if (mismatch === undefined) all.push(combine(own, decoded as Member))
    }
    if (mismatch !== undefined) throw mismatch
    return all
  }
  return {
    schema: { type: 'object', propertyNames: name.schema, additionalProperties: member.schema },
    decode: (value) => runToCompletion(decodeEntries(value)),
    decodeInPieces: decodeEntries,
  }
}

function entryMembers(value: unknown, type: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw KindMismatchError.of(value, type)
  }
  return value as Record<string, unknown>
}

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
  /** Members that keep their names although others are capitalised: their Go fields have a JSON tag. */
  tagged?: readonly string[]
  /** The embedded structs, by member, through which Go reaches it: they are told too. */
  embedded?: Readonly<Record<string, string>>
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
      let mismatch: KindMismatchError | undefined
      for (const given of Object.keys(members)) {
        const member = members[given]
        const field = exact.get(given) ?? folded.get(given.toLowerCase())
        if (field === undefined || member === null || member === undefined) continue
        try {
          decoded[field.name] = field.decoder.decode(member)
        } catch (error) {
          mismatch = firstMismatch(mismatch, placed(error, names, field.name))
        }
      }
      if (mismatch !== undefined) throw mismatch
      return decoded as Decoded<F>
    },
    *decodeInPieces(value) {
      const decoded: Record<string, unknown> = {}
      const members = membersOf(value, names)
      let mismatch: KindMismatchError | undefined
      for (const [index, given] of keysOf(members).entries()) {
        if (index % MEMBERS_AT_ONCE === MEMBERS_AT_ONCE - 1) yield
        const member = members[given]
        const field = exact.get(given) ?? folded.get(given.toLowerCase())
        if (field === undefined || member === null || member === undefined) continue
        try {
          decoded[field.name] =
            field.decoder.decodeInPieces === undefined
              ? field.decoder.decode(member)
              : yield* field.decoder.decodeInPieces(member)
        } catch (error) {
          mismatch = firstMismatch(mismatch, placed(error, names, field.name))
        }
      }
      if (mismatch !== undefined) throw mismatch
      return decoded as Decoded<F>
    },
  }
}

/**
 * A value of a type that decodes itself (Go: UnmarshalJSON). What is wrong in it is told before anything behind it is looked
 * at, and under the name of the struct around it.
 */
export function decodingItself<T>(decoder: Decoder<T>): Decoder<T> {
  const told = (error: unknown): unknown => (error instanceof TypeMismatchError ? error.inStruct('') : error)
  return {
    schema: decoder.schema,
    decode(value) {
      try {
        return decoder.decode(value)
      } catch (error) {
        throw told(error)
      }
    },
    *decodeInPieces(value) {
      try {
        return yield* inPieces(decoder, value)
      } catch (error) {
        throw told(error)
      }
    },
  }
}

const noMembers = {}

function membersOf(value: unknown, { type }: StructNames): Readonly<Record<string, unknown>> {
  if (value === null) return noMembers
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw KindMismatchError.of(value, type)
  }
  return value as Record<string, unknown>
}

/** What a member threw, with its place if it tells one. */
function placed(error: unknown, names: StructNames, name: string): unknown {
  if (!(error instanceof TypeMismatchError)) return error
  const isCapitalised = names.capitalised === true && names.tagged?.includes(name) !== true
  const goName = isCapitalised ? name.charAt(0).toUpperCase() + name.slice(1) : name
  const embedded = names.embedded?.[name]
  return error.inside(names.struct, embedded === undefined ? goName : `${embedded}.${goName}`)
}

function objectSchema(fields: Fields): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  for (const [name, decoder] of Object.entries(fields)) properties[name] = decoder.schema
  return { type: 'object', properties }
}
