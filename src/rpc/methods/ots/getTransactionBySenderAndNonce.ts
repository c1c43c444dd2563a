import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { controlNumber } from '../../params/controlNumber.js'
import { findBySenderAndNonce } from '../senderAndNonce.js'

/** ots_getTransactionBySenderAndNonce: the hash of the mined transaction of a sender with a nonce, or null. */
export const getTransactionBySenderAndNonce = defineMethod(
  'ots_getTransactionBySenderAndNonce',
  [required('sender', address), required('nonce', controlNumber)],
  async ({ view }, sender, nonce) => {
    const found = await findBySenderAndNonce(view, sender, nonce)
    const hash = found?.block.transactions[found.index]?.hash
    return hash === undefined ? null : bytesToHex(hash)
  },
)
