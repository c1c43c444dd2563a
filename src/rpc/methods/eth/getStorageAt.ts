import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { address, decodeStorageKey, storageKey } from '../../params/bytes.js'
import { latestBlock } from '../findBlock.js'

/** eth_getStorageAt: returns a slot's 32 bytes. Like geth, resolves the block before it validates the key. */
export const getStorageAt = defineMethod(
  'eth_getStorageAt',
  [required('address', address), required('key', storageKey), optional('block', blockSelector)],
  async ({ view }, account, key, block = latestBlock) => {
    const { state } = await view.stateAt(block)
    return bytesToHex(await state.getStorage(account, decodeStorageKey(key).slot))
  },
)
