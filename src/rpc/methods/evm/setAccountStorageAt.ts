import { InvalidParamsError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { address, data, hash } from '../../params/bytes.js'

/** evm_setAccountStorageAt: sets an account's 32-byte slot to a value of at most 32 bytes. */
export const setAccountStorageAt = defineMethod(
  'evm_setAccountStorageAt',
  [required('address', address), required('slot', hash), required('value', data)],
  async ({ backend }, account, slot, value) => {
    if (value.length > 32) throw new InvalidParamsError('invalid argument 2: a slot holds 32 bytes')
    const word = new Uint8Array(32)
    word.set(value, 32 - value.length)
    await backend.controls.setStorage(account, slot, word)
    return true
  },
)
