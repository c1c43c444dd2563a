import type { AccountOverride, SlotOverride } from '../../chain/calls/overrides.js'
import { address, data, hash } from './bytes.js'
import { big, uint64 } from './numbers.js'
import { type Decoder, entries, struct } from './combinators.js'

const slots: Decoder<SlotOverride[]> = entries(
  { name: hash, member: hash, type: 'map[common.Hash]common.Hash' },
  (slot, value) => ({ slot, value }),
)

/** What one account is to be (geth: override.OverrideAccount). */
export const accountOverride = struct(
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
  { name: address, member: accountOverride, type: 'override.StateOverride' },
  (own, override): AccountOverride => ({ address: own, ...override }),
)

/** The accounts that a call sees otherwise than they are (geth: internal/ethapi/override). */
export const stateOverride: Decoder<AccountOverride[]> = {
  ...accounts,
  schema: { title: 'state overrides', ...accounts.schema },
}
