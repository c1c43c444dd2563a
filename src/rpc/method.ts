import type { ChainView } from '../chain/view.js'
import { TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import type { Backend } from './backend.js'
import type { RequestContext } from './callPolicy.js'
import { decodeArguments, decodeArgumentsInPieces } from './params/arguments.js'
import type { ArgumentsOf, Decoder, Parameter } from './params/combinators.js'
import type { FilterStore } from './subscriptions/filterStore.js'
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
