import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod } from '../../method.js'

/** personal_listAccounts: the addresses that the node signs for. */
export const listAccounts = defineMethod('personal_listAccounts', [], ({ backend }) =>
  backend.accounts.addresses().map(bytesToHex),
)
