import { bytesToHex } from '../../../encoding/hex.js'
import { InvalidParamsError, TooManySlotsError } from '../../errors.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { storageRequest } from '../../params/storageRequest.js'
import { latestBlock } from '../latestBlock.js'

/** Most slots of one request (geth: internal/ethapi/api.go). */
const maxSlots = 1024

/** eth_getStorageValues: the 32 bytes in each of several slots of several accounts. */
export const getStorageValues = defineMethod(
  'eth_getStorageValues',
  [required('requests', storageRequest), optional('block', blockSelector)],
  async ({ view }, requests, block = latestBlock) => {
    const count = requests.reduce((sum, { slots }) => sum + slots.length, 0)
    if (count > maxSlots) throw new TooManySlotsError(maxSlots)
    if (count === 0) throw new InvalidParamsError('empty request')
    const { state } = await view.stateAt(block)
    const values: Record<string, string[]> = {}
    for (const { account, slots } of requests) {
      const words: string[] = []
      for (const slot of slots) words.push(bytesToHex(await state.getStorage(account, slot)))
      values[bytesToHex(account)] = words
    }
    return values
  },
)
