import { bytesToHex } from '../../../encoding/hex.js'
import { ServerError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/bytes.js'

/** debug_preimage: returns the address or slot with a keccak-256 hash. @throws ServerError if none is known */
export const preimage = defineMethod(
  'debug_preimage',
  [required('hash', hash)],
  async ({ backend }, wanted) => {
    const known = await backend.ranges.preimage(wanted)
    if (known === undefined) throw new ServerError('unknown preimage')
    return bytesToHex(known)
  },
)
