import { bases } from 'multiformats/basics'
import type { CID } from 'multiformats/cid'
import { FileNetworkError } from '../errors.js'
import { CastError, castCid } from './castCid.js'
import { multibaseProblem } from './multibaseProblem.js'

const basesByPrefix = new Map(Object.values(bases).map((base) => [base.prefix as string, base]))

/** Text that should have been a CID and is not. */
export class InvalidCidError extends FileNetworkError {
  constructor(reason: string) {
    super(`invalid cid: ${reason}`)
  }
}

/**
 * Reads a CID from its text, version 0 or 1, in any base of the multibase table.
 *
 * @throws {@link InvalidCidError} with the text of go-cid
 */
export function parseCid(text: string): CID {
  if (text.length < 2) throw new InvalidCidError('cid too short')
  if (text.length === 46 && text.startsWith('Qm')) return cast(decodeVersion0(text))
  const base = basesByPrefix.get(text[0] ?? '')
  if (base === undefined) throw new InvalidCidError('selected encoding not supported')
  try {
    return cast(base.decoder.decode(text))
  } catch (error) {
    if (error instanceof InvalidCidError) throw error
    throw new InvalidCidError(multibaseProblem(base.name, text.slice(1)) ?? (error as Error).message)
  }
}

function decodeVersion0(text: string): Uint8Array {
  try {
    return bases.base58btc.decode(`z${text}`)
  } catch {
    throw new InvalidCidError("input isn't valid multihash")
  }
}

function cast(bytes: Uint8Array): CID {
  try {
    return castCid(bytes)
  } catch (error) {
    if (error instanceof CastError) throw new InvalidCidError(error.message)
    throw error
  }
}
