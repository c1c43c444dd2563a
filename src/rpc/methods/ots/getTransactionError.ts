import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/hash.js'
import { transactionFrame } from '../../otterscan/transactionFrame.js'

/** ots_getTransactionError: what a transaction reverted with; no bytes if it did not, null if there is none. */
export const getTransactionError = defineMethod(
  'ots_getTransactionError',
  [required('transactionHash', hash)],
  async (call, transactionHash) => {
    const top = await transactionFrame(call, transactionHash)
    if (top === undefined) return null
    return bytesToHex(top.failure === undefined ? new Uint8Array(0) : (top.output ?? new Uint8Array(0)))
  },
)
