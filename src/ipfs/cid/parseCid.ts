import { bases } from 'multiformats/basics'
import { CID } from 'multiformats/cid'
import { FileNetworkError } from '../errors.js'

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
 * @throws {@link InvalidCidError}
 */
export function parseCid(text: string): CID {
  if (text.length < 2) throw new InvalidCidError('cid too short')
  if (text.length === 46 && text.startsWith('Qm')) return attempt(() => CID.parse(text))
  const base = basesByPrefix.get(text[0] ?? '')
  if (base === undefined) throw new InvalidCidError('selected encoding not supported')
  const cid = attempt(() => CID.decode(base.decoder.decode(text)))
  if (cid.version === 0) throw new InvalidCidError('cid v0 must not be multibase encoded')
  return cid
}

function attempt(parse: () => CID): CID {
  try {
    return parse()
  } catch (error) {
    throw new InvalidCidError((error as Error).message)
  }
}
