import type { AccessListEntry } from '../../chain/execution/callObject.js'
import type { Decoder } from './parameter.js'
import { address } from './address.js'
import { hash } from './hash.js'
import { list } from './list.js'
import { mapped } from './mapped.js'
import { struct } from './struct.js'

const tuple = struct(
  { struct: 'AccessTuple', type: 'types.AccessTuple' },
  { address, storageKeys: list(hash, '[]common.Hash') },
)

const entry = mapped(tuple, (given): AccessListEntry => ({
  address: given.address ?? new Uint8Array(20),
  storageKeys: given.storageKeys ?? [],
}))

/** An access list (EIP-2930); an entry without address lists the zero address, as it does in geth. */
export const accessList: Decoder<AccessListEntry[]> = list(entry, 'types.AccessList')
