import { bytesWire } from '../../format/pieces.js'
import { address } from '../../params/bytes.js'
import { blockSelector } from '../../params/blockSelector.js'
import { latestBlock } from '../findBlock.js'
import { defineMethod, optional, required } from '../../method.js'

/** eth_getCode: returns an account's code. */
export const getCode = defineMethod(
  'eth_getCode',
  [required('address', address), optional('block', blockSelector)],
  async ({ view }, account, block = latestBlock) => {
    const { state } = await view.stateAt(block)
    return bytesWire(await state.getCode(account))
  },
)
