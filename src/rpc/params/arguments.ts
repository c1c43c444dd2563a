import { InvalidParamsError } from '../errors.js'
import type { ArgumentsOf, Parameter } from './parameter.js'
import { DecodeError } from './decodeError.js'

/**
 * The decoded arguments of a call.
 *
 * The rules for how many there may be, and the words, are those of geth (rpc/json.go, parsePositionalArguments): an
 * earlier bad argument is reported before a superfluous one, and absent or null params are an empty list.
 *
 * @param skipped - how many arguments in front were decoded already
 * @throws InvalidParamsError
 */
export function decodeArguments<P extends readonly Parameter<unknown>[]>(
  params: unknown,
  parameters: P,
  skipped = 0,
): ArgumentsOf<P> {
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw new InvalidParamsError('non-array args')
  }
  const given: readonly unknown[] = params ?? []
  const most = parameters.length + skipped
  const args: unknown[] = new Array(parameters.length)
  for (let index = skipped; index < given.length; index++) {
    const parameter = parameters[index - skipped]
    if (parameter === undefined) throw new InvalidParamsError(`too many arguments, want at most ${most}`)
    args[index - skipped] = decodeArgument(parameter, given[index], index)
  }
  for (let index = Math.max(given.length, skipped); index < most; index++) {
    if (parameters[index - skipped]?.required) {
      throw new InvalidParamsError(`missing value for required argument ${index}`)
    }
  }
  return args as ArgumentsOf<P>
}

function decodeArgument(parameter: Parameter<unknown>, value: unknown, index: number): unknown {
  if (!parameter.required && (value === null || value === undefined)) return undefined
  try {
    return parameter.decoder.decode(value)
  } catch (error) {
    if (error instanceof DecodeError)
      throw new InvalidParamsError(`invalid argument ${index}: ${error.describe()}`)
    throw error
  }
}
