import { keysOf } from '../../encoding/jsonKeys.js'
import { type Steps, runToCompletion } from '../../encoding/timeSlice.js'
import type { JsonSchema } from '../wire.js'

/** A JSON value does not fit its type. */
export abstract class DecodeError extends Error {
  /** Returns the message for the caller, without the argument's index. */
  abstract describe(): string
}

/** A mismatch described only by its reason. */
export class ReasonError extends DecodeError {
  describe(): string {
    return this.message
  }
}

/**
 * A mismatch described by the expected Go type and its position, like Go's encoding/json (UnmarshalTypeError): geth's
 * clients know this format.
 */
export class TypeMismatchError extends DecodeError {
  readonly reason: string
  readonly type: string
  /** The innermost Go struct around the value; empty outside of structs. */
  readonly struct: string
  /** Members from the argument down to the value. */
  readonly path: readonly string[]

  constructor(reason: string, type: string, struct = '', path: readonly string[] = []) {
    super(reason)
    this.reason = reason
    this.type = type
    this.struct = struct
    this.path = path
  }

  /** Returns this mismatch as seen from the struct that holds the member. */
  inside(struct: string, member: string): TypeMismatchError {
    return new TypeMismatchError(this.reason, this.type, this.struct || struct, [member, ...this.path])
  }

  /** Returns this mismatch attributed to another enclosing struct. */
  inStruct(struct: string): TypeMismatchError {
    return new TypeMismatchError(this.reason, this.type, struct, this.path)
  }

  /** Returns this mismatch without its position, as reported by a type with its own decoder. */
  withoutField(): TypeMismatchError {
    return new TypeMismatchError(this.reason, this.type)
  }

  describe(): string {
    const target =
      this.struct === ''
        ? `Go value of type ${this.type}`
        : `Go struct field ${this.struct}.${this.path.join('.')} of type ${this.type}`
    return `json: cannot unmarshal ${this.reason} into ${target}`
  }
}

/**
 * The value has the wrong JSON kind. Go's encoding/json still decodes the rest, so that an error from a type with its
 * own decoder is reported instead; of several mismatches, the first is reported (decodeState.saveError).
 */
export class KindMismatchError extends TypeMismatchError {
  /** @param type - name of the Go type */
  static of(value: unknown, type: string): KindMismatchError {
    return new KindMismatchError(jsonTypeName(value), type)
  }

  override inside(struct: string, member: string): KindMismatchError {
    return new KindMismatchError(this.reason, this.type, this.struct || struct, [member, ...this.path])
  }
}

/** Returns Go's name for a value's JSON type. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  if (value === null) return 'null'
  return typeof value
}

/** Converts a JSON value to the form that methods use. */
export interface Decoder<T> {
  readonly schema: JsonSchema
  /** @throws DecodeError if the value does not fit */
  decode(value: unknown): T
  /** Incremental version of {@link decode}: yields between pieces. Absent if decoding is always fast. */
  decodeInSteps?(value: unknown): Steps<T>
  /** Whether a struct decodes null as well: in Go, the member is no pointer and has its own decoder. */
  readonly decodesNull?: true
}

/** A positional parameter of a method. */
export interface Parameter<T> {
  readonly name: string
  readonly required: boolean
  readonly decoder: Decoder<T>
}

/** Decoded arguments for a list of parameters. */
export type ArgumentsOf<P extends readonly Parameter<unknown>[]> = {
  [I in keyof P]: P[I] extends Parameter<infer T> ? T : never
}

/**
 * Decodes a value, incrementally if the decoder supports it.
 *
 * @throws DecodeError if the value does not fit
 */
export function* inPieces<T>(decoder: Decoder<T>, value: unknown): Steps<T> {
  return decoder.decodeInSteps === undefined ? decoder.decode(value) : yield* decoder.decodeInSteps(value)
}

/** Items decoded per piece. */
const ITEMS_AT_ONCE = 64

/** A list of items of one type, with its Go type's name; null is an empty list. */
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
    *decodeInSteps(value) {
      const items: T[] = []
      let mismatch: KindMismatchError | undefined
      for (const [index, element] of elements(value, type).entries()) {
        if (index % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) yield
        try {
          items.push(
            item.decodeInSteps === undefined ? item.decode(element) : yield* item.decodeInSteps(element),
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

/** Keeps the first mismatch, to throw after everything else is decoded. @throws any other error */
function firstMismatch(known: KindMismatchError | undefined, error: unknown): KindMismatchError {
  if (error instanceof KindMismatchError) return known ?? error
  throw error
}

function elements(value: unknown, type: string): readonly unknown[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw KindMismatchError.of(value, type)
  return value
}

/**
 * A pair of values, as an array of two.
 *
 * @param expected - names both values in the error, such as `a signature and an address`
 */
export function pair<First, Second>(
  [first, second]: readonly [Decoder<First>, Decoder<Second>],
  { title, expected }: { title: string; expected: string },
): Decoder<readonly [First, Second]> {
  function* decodePair(value: unknown): Steps<readonly [First, Second]> {
    if (!Array.isArray(value) || value.length !== 2) throw new ReasonError(`expected a pair of ${expected}`)
    const [given, other]: unknown[] = value
    return [yield* inPieces(first, given), yield* inPieces(second, other)]
  }
  return {
    schema: { title, type: 'array', prefixItems: [first.schema, second.schema], minItems: 2, maxItems: 2 },
    decode: (value) => runToCompletion(decodePair(value)),
    decodeInSteps: decodePair,
  }
}

/** A decoder whose values are converted by `convert`. */
export function mapped<Given, T>(
  decoder: Decoder<Given>,
  convert: (given: Given) => T,
  schema = decoder.schema,
): Decoder<T> {
  return {
    schema,
    decode: (value) => convert(decoder.decode(value)),
    *decodeInSteps(value) {
      return convert(yield* inPieces(decoder, value))
    },
  }
}

/** Members decoded per piece. */
const ENTRIES_AT_ONCE = 64

/**
 * An object used as a map, decoded to a list of combined names and members.
 *
 * @param type - name of its Go type
 */
export function entries<Name, Member, T>(
  { name, member, type }: { name: Decoder<Name>; member: Decoder<Member>; type: string },
  combine: (name: Name, member: Member) => T,
): Decoder<T[]> {
  /** Like Go, decodes a name after its member. */
  function* decodeEntries(value: unknown): Steps<T[]> {
    const given = entryMembers(value, type)
    const all: T[] = []
    let mismatch: KindMismatchError | undefined
    for (const [index, key] of keysOf(given).entries()) {
      if (index % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) yield
      let decoded: Member | undefined
      try {
        decoded =
          member.decodeInSteps === undefined
            ? member.decode(given[key])
            : yield* member.decodeInSteps(given[key])
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
    decodeInSteps: decodeEntries,
  }
}

function entryMembers(value: unknown, type: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw KindMismatchError.of(value, type)
  }
  return value as Record<string, unknown>
}

/** Possible members of a struct, with their decoders. */
export type Fields = Readonly<Record<string, Decoder<unknown>>>

/** Decoded struct; missing and null members are undefined. */
export type Decoded<F extends Fields> = {
  [K in keyof F]?: F[K] extends Decoder<infer T> ? T | undefined : never
}

/** Names of the Go struct behind an object. */
export interface StructNames {
  /** Without package, as in messages about a member: `TransactionArgs`. */
  struct: string
  /** With package, as in messages about a value that is not an object: `ethapi.TransactionArgs`. */
  type: string
  /** Whether messages use the capitalised Go names of members. */
  capitalised?: boolean
  /** Members that keep their names although others are capitalised: their Go fields have a JSON tag. */
  tagged?: readonly string[]
  /** Embedded structs through which Go reaches a member, by member; messages include them. */
  embedded?: Readonly<Record<string, string>>
}

/** Members decoded per piece. */
const MEMBERS_AT_ONCE = 64

/**
 * An object with known members; others are ignored.
 *
 * Names match exactly or else case-insensitively, and null is an empty object (Go: encoding/json).
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
      for (const given of keysOf(members)) {
        const member = members[given]
        const field = exact.get(given) ?? folded.get(given.toLowerCase())
        if (field === undefined || isAbsent(member, field.decoder)) continue
        try {
          decoded[field.name] = field.decoder.decode(member)
        } catch (error) {
          mismatch = firstMismatch(mismatch, withMember(error, names, field.name))
        }
      }
      if (mismatch !== undefined) throw mismatch
      return decoded as Decoded<F>
    },
    *decodeInSteps(value) {
      const decoded: Record<string, unknown> = {}
      const members = membersOf(value, names)
      let mismatch: KindMismatchError | undefined
      for (const [index, given] of keysOf(members).entries()) {
        if (index % MEMBERS_AT_ONCE === MEMBERS_AT_ONCE - 1) yield
        const member = members[given]
        const field = exact.get(given) ?? folded.get(given.toLowerCase())
        if (field === undefined || isAbsent(member, field.decoder)) continue
        try {
          decoded[field.name] =
            field.decoder.decodeInSteps === undefined
              ? field.decoder.decode(member)
              : yield* field.decoder.decodeInSteps(member)
        } catch (error) {
          mismatch = firstMismatch(mismatch, withMember(error, names, field.name))
        }
      }
      if (mismatch !== undefined) throw mismatch
      return decoded as Decoded<F>
    },
  }
}

function isAbsent(member: unknown, { decodesNull }: Decoder<unknown>): boolean {
  return member === undefined || (member === null && decodesNull !== true)
}

/**
 * A type with its own decoder (Go: UnmarshalJSON). Its errors are reported before anything after it is decoded, and are
 * attributed to the enclosing struct.
 */
export function decodingItself<T>(decoder: Decoder<T>): Decoder<T> {
  const withoutStruct = (error: unknown): unknown =>
    error instanceof TypeMismatchError ? error.inStruct('') : error
  return {
    schema: decoder.schema,
    decode(value) {
      try {
        return decoder.decode(value)
      } catch (error) {
        throw withoutStruct(error)
      }
    },
    *decodeInSteps(value) {
      try {
        return yield* inPieces(decoder, value)
      } catch (error) {
        throw withoutStruct(error)
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

/** Adds a member's position to its error, if the error reports one. */
function withMember(error: unknown, names: StructNames, name: string): unknown {
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
