import type { ChainView } from '../chain/view.js'
import { type Steps, TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import type { Backend } from './backend.js'
import type { RequestContext } from './callPolicy.js'
import { InvalidParamsError } from './errors.js'
import {
  type ArgumentsOf,
  DecodeError,
  type Decoder,
  type Parameter,
  inPieces,
} from './params/combinators.js'
import type { FilterStore } from './subscriptions/filters.js'
import type { JsonValue, WireBytes } from './wire.js'

/** What a method may use. */
export interface Call {
  /** What the chain is read through. */
  view: ChainView
  backend: Backend
  filters: FilterStore
  context: RequestContext
  /** Whether the parameters are so long that they are decoded in turns with other requests. */
  isLarge: boolean
  /** Told of faults of ours that come up when the call has been answered, with the method's name. */
  report: (method: string, fault: unknown) => void
}

/** What a method gives back: a value to print, or bytes that are on the wire already. */
export type Result = JsonValue | WireBytes

/** A method as the registry holds it. */
export interface Method {
  readonly name: string
  readonly parameters: readonly Parameter<unknown>[]
  /** @throws InvalidParamsError if the arguments do not fit. */
  invoke(call: Call, params: unknown): Result | Promise<Result>
}

/** A parameter that must be given, and not as null. */
export function required<T>(name: string, decoder: Decoder<T>): Parameter<T> {
  return { name, required: true, decoder }
}

/** A parameter that may be left out or null. */
export function optional<T>(name: string, decoder: Decoder<T>): Parameter<T | undefined> {
  return { name, required: false, decoder }
}

/**
 * Decodes arguments and does with them what is to be done: at once, or after other requests had their turns.
 *
 * @param run - gets the call and its arguments
 * @param skipped - how many arguments in front were decoded already
 * @throws InvalidParamsError
 */
export function withArguments<const P extends readonly Parameter<unknown>[], R>(
  call: Call,
  params: unknown,
  parameters: P,
  run: (call: Call, ...args: ArgumentsOf<P>) => R | Promise<R>,
  skipped = 0,
): R | Promise<R> {
  if (!call.isLarge) return run(call, ...decodeArguments(params, parameters, skipped))
  const decoding = runInSlices(decodeArgumentsInPieces(params, parameters, skipped), new TimeSlice())
  return decoding.then((args) => run(call, ...args))
}

/** Makes a method from its parameters and the function that gets them decoded. */
export function defineMethod<const P extends readonly Parameter<unknown>[]>(
  name: string,
  parameters: P,
  run: (call: Call, ...args: ArgumentsOf<P>) => Result | Promise<Result>,
): Method {
  return {
    name,
    parameters,
    invoke: (call, params) => withArguments(call, params, parameters, run),
  }
}

/**
 * The decoded arguments of a call.
 *
 * The rules for how many there may be, and the messages, are those of geth (rpc/json.go, parsePositionalArguments): an
 * earlier bad argument is reported before a superfluous one, absent or null params are an empty list, and null is no
 * value for a required argument.
 *
 * @param skipped - how many arguments in front were decoded already
 * @throws InvalidParamsError
 */
export function decodeArguments<P extends readonly Parameter<unknown>[]>(
  params: unknown,
  parameters: P,
  skipped = 0,
): ArgumentsOf<P> {
  const given = listOf(params)
  const args: unknown[] = new Array(parameters.length)
  for (let index = skipped; index < given.length; index++) {
    const parameter = parameterAt(parameters, index, skipped)
    args[index - skipped] = decodeArgument(parameter, given[index], index)
  }
  checkMissing(parameters, given.length, skipped)
  return args as ArgumentsOf<P>
}

/** The same in pieces, for arguments that are so long that other requests would wait for them. */
export function* decodeArgumentsInPieces<P extends readonly Parameter<unknown>[]>(
  params: unknown,
  parameters: P,
  skipped = 0,
): Steps<ArgumentsOf<P>> {
  const given = listOf(params)
  const args: unknown[] = new Array(parameters.length)
  for (let index = skipped; index < given.length; index++) {
    const parameter = parameterAt(parameters, index, skipped)
    args[index - skipped] = yield* decodeArgumentInPieces(parameter, given[index], index)
  }
  checkMissing(parameters, given.length, skipped)
  return args as ArgumentsOf<P>
}

function listOf(params: unknown): readonly unknown[] {
  if (params === undefined || params === null) return []
  if (!Array.isArray(params)) throw new InvalidParamsError('non-array args')
  return params
}

function parameterAt(
  parameters: readonly Parameter<unknown>[],
  index: number,
  skipped: number,
): Parameter<unknown> {
  const parameter = parameters[index - skipped]
  if (parameter !== undefined) return parameter
  throw new InvalidParamsError(`too many arguments, want at most ${parameters.length + skipped}`)
}

function checkMissing(parameters: readonly Parameter<unknown>[], given: number, skipped: number): void {
  for (let index = Math.max(given, skipped); index < parameters.length + skipped; index++) {
    if (parameters[index - skipped]?.required) throw missingValue(index)
  }
}

function decodeArgument(parameter: Parameter<unknown>, value: unknown, index: number): unknown {
  if (isLeftOut(parameter, value, index)) return undefined
  try {
    return parameter.decoder.decode(value)
  } catch (error) {
    throw worded(error, index)
  }
}

function* decodeArgumentInPieces(
  parameter: Parameter<unknown>,
  value: unknown,
  index: number,
): Steps<unknown> {
  if (isLeftOut(parameter, value, index)) return undefined
  try {
    return yield* inPieces(parameter.decoder, value)
  } catch (error) {
    throw worded(error, index)
  }
}

/** @throws InvalidParamsError if the value is null where one is required */
function isLeftOut({ required }: Parameter<unknown>, value: unknown, index: number): boolean {
  if (value !== null && value !== undefined) return false
  if (required) throw missingValue(index)
  return true
}

function missingValue(index: number): InvalidParamsError {
  return new InvalidParamsError(`missing value for required argument ${index}`)
}

/** What a decoder threw, in the words for the caller. */
function worded(error: unknown, index: number): unknown {
  if (!(error instanceof DecodeError)) return error
  return new InvalidParamsError(`invalid argument ${index}: ${error.describe()}`)
}
