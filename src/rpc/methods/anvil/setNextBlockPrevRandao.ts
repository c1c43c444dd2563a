import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/hash.js'

/** anvil_setNextBlockPrevRandao: sets what PREVRANDAO gives in the next block alone; 32 bytes. */
export const setNextBlockPrevRandao = defineMethod(
  'anvil_setNextBlockPrevRandao',
  [required('value', hash)],
  async ({ backend }, value) => {
    await backend.controls.setPrevRandao(value)
    return null
  },
)
