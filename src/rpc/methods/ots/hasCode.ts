import { defineMethod, optional, required } from '../../method.js'
import { address } from '../../params/address.js'
import { otsBlock } from '../../params/otsBlock.js'

/** ots_hasCode: whether an account is a contract. */
export const hasCode = defineMethod(
  'ots_hasCode',
  [required('address', address), optional('block', otsBlock)],
  async ({ view }, account, selector = { tag: 'latest' }) => {
    const { state } = await view.stateAt(selector)
    return (await state.getCode(account)).length > 0
  },
)
