import { keccak256 } from '../../../chain/keccak.js'
import { bytesToHex, bytesToPlainHex } from '../../../encoding/hex.js'
import { TimeSlice, runInSlices, sortInSlices } from '../../../encoding/timeSlice.js'
import { ServerError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { address, data } from '../../params/bytes.js'
import { blockSelector } from '../../params/blockSelector.js'
import { controlNumber } from '../../params/numbers.js'
import { tracedBlock } from './traceBlock.js'

/**
 * debug_storageRangeAt: the slots of an account as a transaction of a block met them, in the order of the hashes of
 * their keys from one hash on (geth: eth/api_debug.go).
 */
export const storageRangeAt = defineMethod(
  'debug_storageRangeAt',
  [
    required('block', blockSelector),
    required('transactionIndex', controlNumber),
    required('address', address),
    required('start', data),
    required('limit', controlNumber),
  ],
  async ({ view, backend }, selector, index, account, start, limit) => {
    const block = tracedBlock(view, selector)
    if (index > 0n && index >= BigInt(block.transactions.length)) {
      throw new ServerError(`transaction index ${index} out of range for block ${bytesToHex(block.hash)}`)
    }
    const slice = new TimeSlice()
    const slots: { slot: Uint8Array; hash: Uint8Array }[] = []
    for (const slot of await backend.controls.knownSlots(account)) {
      const hash = keccak256(slot)
      if (Buffer.compare(hash, start) >= 0) slots.push({ slot, hash })
      await slice.pause()
    }
    const sorted = await runInSlices(
      sortInSlices(slots, (a, b) => Buffer.compare(a.hash, b.hash)),
      slice,
    )
    const request = { view, block, index: Number(index) }
    const present = await backend.tracing.stateBefore(request, async (state) => {
      const found: { hash: Uint8Array; slot: Uint8Array; value: Uint8Array }[] = []
      for (const { slot, hash } of sorted) {
        if (found.length > Number(limit)) break
        await slice.pause()
        const value = await state.getStorage(account, slot)
        if (value.some((byte) => byte !== 0)) found.push({ hash, slot, value })
      }
      return found
    })
    const page = present.slice(0, Number(limit))
    const next = present[page.length]
    return {
      storage: Object.fromEntries(
        page.map(({ hash, slot, value }) => [
          bytesToHex(hash),
          { key: bytesToHex(slot), value: `0x${bytesToPlainHex(value)}` },
        ]),
      ),
      nextKey: next === undefined ? null : bytesToHex(next.hash),
    }
  },
)
