import type { Steps } from '../../encoding/timeSlice.js'
import { InvalidParamsError } from '../errors.js'
import { DecodeError } from './decodeError.js'
import { type ArgumentsOf, type Parameter, inPieces } from './combinators.js'

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
