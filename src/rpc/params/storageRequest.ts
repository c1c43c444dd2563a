import { bytesToHex, type Hex } from '../../encoding/hex.js'
import type { Decoder } from './parameter.js'
import { address } from './address.js'
import { jsonTypeName, TypeMismatchError } from './decodeError.js'
import { hash } from './hash.js'
import { list } from './list.js'

const slots = list(hash, '[]common.Hash')

/** Slots of one account. */
export interface SlotRequest {
  /** 20 bytes. */
  account: Uint8Array
  /** 32 bytes each. */
  slots: Uint8Array[]
}

/** Slots of several accounts, in the order of their addresses (geth: internal/ethapi/api.go, GetStorageValues). */
export const storageRequest: Decoder<SlotRequest[]> = {
  schema: {
    title: 'slots by account',
    type: 'object',
    propertyNames: address.schema,
    additionalProperties: { type: 'array', items: hash.schema },
  },
  decode(value) {
    if (value === null) return []
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw new TypeMismatchError(jsonTypeName(value), 'map[common.Address][]common.Hash')
    }
    const requests = new Map<Hex, SlotRequest>()
    for (const [name, keys] of Object.entries(value)) {
      const account = address.decode(name)
      requests.set(bytesToHex(account), { account, slots: slots.decode(keys) })
    }
    return [...requests].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, request]) => request)
  },
}
