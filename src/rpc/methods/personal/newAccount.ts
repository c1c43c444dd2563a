import { randomBytes } from 'node:crypto'
import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod, required } from '../../method.js'
import { passphrase } from '../../params/text.js'

/** personal_newAccount: makes a key, which is gone when the node stops, and answers its address. */
export const newAccount = defineMethod(
  'personal_newAccount',
  [required('passphrase', passphrase)],
  async ({ backend }) => bytesToHex(await backend.controls.importKey(Uint8Array.from(randomBytes(32)))),
)
