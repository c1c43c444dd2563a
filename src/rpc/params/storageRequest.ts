import { type Steps, runToCompletion, sortInSlices } from '../../encoding/timeSlice.js'
import { address } from './address.js'
import { entries } from './entries.js'
import { hash } from './hash.js'
import { inPieces } from './inPieces.js'
import { list } from './list.js'
import type { Decoder } from './parameter.js'

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

/** Slots of several accounts, in the order of their addresses (geth: internal/ethapi/api.go, GetStorageValues). */
export const storageRequest: Decoder<SlotRequest[]> = {
  schema: {
    title: 'slots by account',
    type: 'object',
    propertyNames: address.schema,
    additionalProperties: { type: 'array', items: hash.schema },
  },
  decode: (value) => (value === null ? [] : runToCompletion(inOrder(requests.decode(value)))),
  *decodeInPieces(value) {
    return value === null ? [] : yield* inOrder(yield* inPieces(requests, value))
  },
}

/** Requests that are looked at at once. */
const REQUESTS_AT_ONCE = 512

/** Sorts requests by their accounts; of several for one, whose names differ in their case, the last counts. */
function* inOrder(given: readonly SlotRequest[]): Steps<SlotRequest[]> {
  const sorted = yield* sortInSlices(given, byAccount)
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
