import type { ChainView } from '../chain/view.js'
import { type Awaitable, type Steps, TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import type { Backend } from './backend.js'
import type { RequestContext } from './callPolicy.js'
import { READ_AT_ONCE } from './envelope/body.js'
import { InvalidParamsError } from './errors.js'
import {
  type ArgumentsOf,
  DecodeError,
  type Decoder,
  type Parameter,
  inPieces,
} from './params/combinators.js'
import type { FilterStore } from './subscriptions/filterStore.js'
import type { JsonValue, WireBytes } from './wire.js'

/** Everything a method may use. */
export interface Call {
  /** View through which the method reads the chain. */
  view: ChainView
  backend: Backend
  filters: FilterStore
  context: RequestContext
  /** Characters of the call's text; 0 in process. */
  length: number
  /** Reports internal faults that occur after the call was answered, with the method's name. */
  report: (method: string, fault: unknown) => void
}

/** Result of a method: a value to print, or bytes already in wire form. */
export type Result = JsonValue | WireBytes

/** A method as the registry holds it. */
export interface Method {
  readonly name: string
  readonly parameters: readonly Parameter<unknown>[]
  /** @throws InvalidParamsError if the arguments do not fit */
  invoke(call: Call, params: unknown): Awaitable<Result>
}

/** Declares a parameter that must be present and not null. */
export function required<T>(name: string, decoder: Decoder<T>): Parameter<T> {
  return { name, required: true, decoder }
}

/** Declares a parameter that may be absent or null. */
export function optional<T>(name: string, decoder: Decoder<T>): Parameter<T | undefined> {
  return { name, required: false, decoder }
}

/**
 * Decodes arguments and passes them to `run`: synchronously, or in slices if the call is long.
 *
 * @param run - receives the call and its arguments
 * @param skipped - number of leading arguments already decoded
 * @throws InvalidParamsError
 */
export function withArguments<const P extends readonly Parameter<unknown>[], R>(
  call: Call,
  params: unknown,
  parameters: P,
  run: (call: Call, ...args: ArgumentsOf<P>) => Awaitable<R>,
  skipped = 0,
): Awaitable<R> {
  if (call.length <= READ_AT_ONCE) return run(call, ...decodeArguments(params, parameters, skipped))
  const decoding = runInSlices(decodeArgumentsInSteps(params, parameters, skipped), new TimeSlice())
  return decoding.then((args) => run(call, ...args))
}

/** Defines a method by its parameters and the function that receives them decoded. */
export function defineMethod<const P extends readonly Parameter<unknown>[]>(
  name: string,
  parameters: P,
  run: (call: Call, ...args: ArgumentsOf<P>) => Awaitable<Result>,
): Method {
  return {
    name,
    parameters,
    invoke: (call, params) => withArguments(call, params, parameters, run),
  }
}

/**
 * Decodes the arguments of a call.
 *
 * Arity rules and messages are geth's (rpc/json.go, parsePositionalArguments): an invalid argument is reported before
 * an excess one, absent or null params are an empty list, and null does not satisfy a required argument.
 *
 * @param skipped - number of leading arguments already decoded
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

/** Incremental version of {@link decodeArguments}: yields between pieces. */
function* decodeArgumentsInSteps<P extends readonly Parameter<unknown>[]>(
  params: unknown,
  parameters: P,
  skipped = 0,
): Steps<ArgumentsOf<P>> {
  const given = listOf(params)
  const args: unknown[] = new Array(parameters.length)
  for (let index = skipped; index < given.length; index++) {
    const parameter = parameterAt(parameters, index, skipped)
    args[index - skipped] = yield* decodeArgumentInSteps(parameter, given[index], index)
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
  if (isOmitted(parameter, value, index)) return undefined
  try {
    return parameter.decoder.decode(value)
  } catch (error) {
    throw toInvalidParams(error, index)
  }
}

function* decodeArgumentInSteps(
  parameter: Parameter<unknown>,
  value: unknown,
  index: number,
): Steps<unknown> {
  if (isOmitted(parameter, value, index)) return undefined
  try {
    return yield* inPieces(parameter.decoder, value)
  } catch (error) {
    throw toInvalidParams(error, index)
  }
}

/** @throws InvalidParamsError if a required value is null */
function isOmitted({ required }: Parameter<unknown>, value: unknown, index: number): boolean {
  if (value !== null && value !== undefined) return false
  if (required) throw missingValue(index)
  return true
}

function missingValue(index: number): InvalidParamsError {
  return new InvalidParamsError(`missing value for required argument ${index}`)
}

/** Turns a decoder's error into the one for the caller. */
function toInvalidParams(error: unknown, index: number): unknown {
  if (!(error instanceof DecodeError)) return error
  return new InvalidParamsError(`invalid argument ${index}: ${error.describe()}`)
}
