import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod } from '../../method.js'

/** eth_requestAccounts: the addresses that the node signs for (EIP-1102). */
export const requestAccounts = defineMethod('eth_requestAccounts', [], ({ backend }) =>
  backend.accounts.addresses().map(bytesToHex),
)
