import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod } from '../../method.js'

/** eth_coinbase: who gets the fees of the next block. */
export const coinbase = defineMethod('eth_coinbase', [], ({ backend }) =>
  bytesToHex(backend.controls.coinbase()),
)
