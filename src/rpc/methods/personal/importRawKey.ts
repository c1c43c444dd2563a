import { bytesToHex, hexToBytes } from '../../../encoding/hex.js'
import { InvalidParamsError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { passphrase, text } from '../../params/text.js'

/** personal_importRawKey: takes up a private key, with 0x or without, until the node stops; its address. */
export const importRawKey = defineMethod(
  'personal_importRawKey',
  [required('privateKey', text('string', 'private key')), required('passphrase', passphrase)],
  async ({ backend }, key) => {
    if (!/^(0x)?[0-9a-f]{64}$/i.test(key)) {
      throw new InvalidParamsError('invalid argument 0: expected 32 bytes of private key')
    }
    return bytesToHex(await backend.controls.importKey(hexToBytes(key)))
  },
)
