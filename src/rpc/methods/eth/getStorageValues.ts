import { TimeSlice } from '../../../encoding/timeSlice.js'
import { InvalidParamsError, TooManySlotsError } from '../../errors.js'
import { ListWriter } from '../../format/listWriter.js'
import { jsonBytes } from '../../format/members.js'
import { PieceWriter } from '../../format/pieceWriter.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { storageRequest } from '../../params/storageRequest.js'
import { WireBytes } from '../../wire.js'
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
    const writer = new PieceWriter()
    const values = new ListWriter(writer, '{}')
    const slice = new TimeSlice()
    for (const { account, slots } of requests) {
      const words: string[] = []
      for (const slot of slots) words.push(jsonBytes(await state.getStorage(account, slot)))
      values.append(`${jsonBytes(account)}:[${words.join(',')}]`)
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
    values.end()
    return new WireBytes(writer.pieces())
  },
)
