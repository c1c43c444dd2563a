import { bytesToHex } from '../../../encoding/hex.js'
import { ServerError } from '../../errors.js'
import { defineMethod, optional, required } from '../../method.js'
import { callObject } from '../../params/callObject.js'
import { big, uint64 } from '../../params/numbers.js'
import { transactionRequest } from '../transactionRequest.js'

/** eth_resend: sends a waiting transaction again with another gas price or gas limit. */
export const resend = defineMethod(
  'eth_resend',
  [required('transaction', callObject), optional('gasPrice', big), optional('gas', uint64)],
  async ({ backend }, given, gasPrice, gas) => {
    if (given.nonce === undefined) throw new ServerError('missing transaction nonce in transaction spec')
    const call = transactionRequest(given, backend.settings.compatibility)
    return bytesToHex(await backend.pool.resend(call, { gasPrice, gas }))
  },
)
