import type { AccessListEntry } from '../../chain/execution/callObject.js'
import type { Decoder } from './parameter.js'
import { address } from './address.js'
import { jsonTypeName, TypeMismatchError } from './decodeError.js'
import { hash } from './hash.js'
import { list } from './list.js'
import { struct } from './struct.js'

const tuple = struct(
  { struct: 'AccessTuple', type: 'types.AccessTuple' },
  { address, storageKeys: list(hash, '[]common.Hash') },
)

const entries = list(tuple, 'types.AccessList')

/** An access list (EIP-2930); an entry without address lists the zero address, as it does in geth. */
export const accessList: Decoder<AccessListEntry[]> = {
  schema: entries.schema,
  decode(value) {
    if (value !== null && !Array.isArray(value)) {
      throw new TypeMismatchError(jsonTypeName(value), 'types.AccessList')
    }
    return entries.decode(value).map((entry) => ({
      address: entry.address ?? new Uint8Array(20),
      storageKeys: entry.storageKeys ?? [],
    }))
  },
}
