import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { address, decodeStorageKey, storageKey } from '../../params/bytes.js'
import { latestBlock } from '../findBlock.js'

/** eth_getStorageAt: the 32 bytes in a slot. The block is looked for before the key is judged, as geth does. */
export const getStorageAt = defineMethod(
  'eth_getStorageAt',
  [required('address', address), required('key', storageKey), optional('block', blockSelector)],
  async ({ view }, account, key, block = latestBlock) => {
    const { state } = await view.stateAt(block)
    return bytesToHex(await state.getStorage(account, decodeStorageKey(key).slot))
  },
)
