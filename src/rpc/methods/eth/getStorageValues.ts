import { sortInSteps } from '../../../encoding/sorting.js'
import { type Steps, TimeSlice, runToCompletion } from '../../../encoding/timeSlice.js'
import { InvalidParamsError, TooManySlotsError } from '../../errors.js'
import { ListWriter, PieceWriter, jsonBytes } from '../../format/pieces.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { address, hash } from '../../params/bytes.js'
import { type Decoder, entries, inPieces, list } from '../../params/combinators.js'
import { WireBytes } from '../../wire.js'
import { latestBlock } from '../findBlock.js'

/** Slots of one account. */
export interface SlotRequest {
  /** 20 bytes. */
  account: Uint8Array
  /** 32 bytes each. */
  slots: Uint8Array[]
}

const requests = entries(
  { name: address, member: list(hash, '[]common.Hash'), type: 'map[common.Address][]common.Hash' },
  (account, slots): SlotRequest => ({ account, slots }),
)

/** Slots of several accounts, sorted by address (geth: internal/ethapi/api.go, GetStorageValues). */
export const storageRequest: Decoder<SlotRequest[]> = {
  schema: {
    title: 'slots by account',
    type: 'object',
    propertyNames: address.schema,
    additionalProperties: { type: 'array', items: hash.schema },
  },
  decode: (value) => (value === null ? [] : runToCompletion(inOrder(requests.decode(value)))),
  *decodeInSteps(value) {
    return value === null ? [] : yield* inOrder(yield* inPieces(requests, value))
  },
}

/** Requests deduplicated per piece. */
const REQUESTS_AT_ONCE = 512

/** Sorts requests by account. Of duplicates, whose addresses differ only in case, the last wins. */
function* inOrder(given: readonly SlotRequest[]): Steps<SlotRequest[]> {
  const sorted = yield* sortInSteps(given, byAccount)
  const last: SlotRequest[] = []
  for (const [index, request] of sorted.entries()) {
    const next = sorted[index + 1]
    if (next === undefined || byAccount(request, next) !== 0) last.push(request)
    if (index % REQUESTS_AT_ONCE === REQUESTS_AT_ONCE - 1) yield
  }
  return last
}

function byAccount(a: SlotRequest, b: SlotRequest): number {
  return Buffer.compare(a.account, b.account)
}

/** Maximum number of slots per request (geth: internal/ethapi/api.go). */
const MAX_SLOTS = 1024

/** eth_getStorageValues: returns the 32 bytes of each given slot of several accounts. */
export const getStorageValues = defineMethod(
  'eth_getStorageValues',
  [required('requests', storageRequest), optional('block', blockSelector)],
  async ({ view, backend }, requests, block = latestBlock) => {
    const count = requests.reduce((sum, { slots }) => sum + slots.length, 0)
    if (count > MAX_SLOTS) throw new TooManySlotsError(MAX_SLOTS)
    if (count === 0 && backend.settings.compatibility.requestChecks !== 'anvil') {
      throw new InvalidParamsError('empty request')
    }
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
