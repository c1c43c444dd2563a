import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod } from '../../method.js'

/** eth_accounts: the addresses that the node signs for. */
export const accounts = defineMethod('eth_accounts', [], ({ backend }) =>
  backend.accounts.addresses().map(bytesToHex),
)
