import type { AccountOverride, SlotOverride } from '../../chain/execution/overrides.js'
import type { Decoder } from './parameter.js'
import { address } from './address.js'
import { data } from './data.js'
import { jsonTypeName, TypeMismatchError } from './decodeError.js'
import { hash } from './hash.js'
import { struct } from './struct.js'
import { big } from './uint256.js'
import { uint64 } from './uint64.js'

const slotMapType = 'map[common.Hash]common.Hash'

const slots: Decoder<SlotOverride[]> = {
  schema: { type: 'object', propertyNames: hash.schema, additionalProperties: hash.schema },
  decode(value) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new TypeMismatchError(jsonTypeName(value), slotMapType)
    }
    return Object.entries(value).map(([slot, word]) => ({
      slot: hash.decode(slot),
      value: hash.decode(word),
    }))
  },
}

const account = struct(
  { struct: 'OverrideAccount', type: 'override.OverrideAccount' },
  {
    nonce: uint64,
    code: data,
    balance: big,
    state: slots,
    stateDiff: slots,
    movePrecompileToAddress: address,
  },
)

/** The accounts that a call sees otherwise than they are (geth: internal/ethapi/override). */
export const stateOverride: Decoder<AccountOverride[]> = {
  schema: {
    title: 'state overrides',
    type: 'object',
    propertyNames: address.schema,
    additionalProperties: account.schema,
  },
  decode(value) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new TypeMismatchError(jsonTypeName(value), 'override.StateOverride')
    }
    return Object.entries(value).map(([key, override]) => ({
      address: address.decode(key),
      ...account.decode(override),
    }))
  },
}
