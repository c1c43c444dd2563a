import { WireBytes } from '../../wire.js'
import { defineMethod, required } from '../../method.js'
import { address } from '../../params/bytes.js'
import { controlNumber } from '../../params/numbers.js'
import { findBySenderAndNonce } from '../senderAndNonce.js'

/** eth_getTransactionBySenderAndNonce: returns a sender's mined transaction with a nonce, or null. */
export const getTransactionBySenderAndNonce = defineMethod(
  'eth_getTransactionBySenderAndNonce',
  [required('sender', address), required('nonce', controlNumber)],
  async ({ view }, sender, nonce) => {
    const found = await findBySenderAndNonce(view, sender, nonce)
    return found === undefined ? null : new WireBytes([view.wire(found.block).transaction(found.index)])
  },
)
