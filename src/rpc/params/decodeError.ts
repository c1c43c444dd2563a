/** A JSON value that does not fit its type. */
export abstract class DecodeError extends Error {
  /** The words for the caller, without the number of the argument. */
  abstract describe(): string
}

/** A misfit that is told by its reason alone. */
export class ReasonError extends DecodeError {
  describe(): string {
    return this.message
  }
}

/**
 * A misfit that is told with the Go type that was expected and where it stood, as Go's encoding/json does
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

  /** The same misfit, seen from the struct that holds the member. */
  inside(struct: string, member: string): TypeMismatchError {
    return new TypeMismatchError(this.reason, this.type, this.struct || struct, [member, ...this.path])
  }

  /** The same misfit, told by another struct around it. */
  inStruct(struct: string): TypeMismatchError {
    return new TypeMismatchError(this.reason, this.type, struct, this.path)
  }

  /** The same misfit as it leaves a type that decodes itself: what is inside it is not told. */
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
