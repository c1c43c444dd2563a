import type { AccountOverride, SlotOverride } from '../../chain/execution/overrides.js'
import type { Decoder } from './parameter.js'
import { address } from './address.js'
import { data } from './data.js'
import { entries } from './entries.js'
import { hash } from './hash.js'
import { struct } from './struct.js'
import { big } from './uint256.js'
import { uint64 } from './uint64.js'

const slots: Decoder<SlotOverride[]> = entries(
  { name: hash, member: hash, type: 'map[common.Hash]common.Hash' },
  (slot, value) => ({ slot, value }),
)

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

const accounts = entries(
  { name: address, member: account, type: 'override.StateOverride' },
  (own, override): AccountOverride => ({ address: own, ...override }),
)

/** The accounts that a call sees otherwise than they are (geth: internal/ethapi/override). */
export const stateOverride: Decoder<AccountOverride[]> = {
  ...accounts,
  schema: { title: 'state overrides', ...accounts.schema },
}
