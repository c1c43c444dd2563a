import { Account, Address } from '@ethereumjs/util'
import type { Chain } from '../chain.js'
import { increased } from '../state/balance.js'
import type { WorkingState } from '../state/workingState.js'

/** Whose state is edited. */
export type EditableChain = Pick<Chain, 'exclusively' | 'editState'>

/** Sets the balance of a 20-byte address in wei. */
export function setBalance(chain: EditableChain, address: Uint8Array, balance: bigint): Promise<void> {
  return edit(chain, (state) => changeAccount(state, address, () => ({ balance })))
}

/** Adds wei to a balance; it stops at the largest number that a balance can be. */
export function addBalance(chain: EditableChain, address: Uint8Array, wei: bigint): Promise<void> {
  return edit(chain, (state) =>
    changeAccount(state, address, ({ balance }) => ({ balance: increased(balance, wei) })),
  )
}

/** Sets the nonce that the next transaction of a 20-byte address has to have; it may go back. */
export function setNonce(chain: EditableChain, address: Uint8Array, nonce: bigint): Promise<void> {
  return edit(chain, (state) => changeAccount(state, address, () => ({ nonce })))
}

/** Puts runtime code at a 20-byte address; no bytes take the code away. */
export function setCode(chain: EditableChain, address: Uint8Array, code: Uint8Array): Promise<void> {
  return edit(chain, (state) => state.putCode(new Address(address), code))
}

/** Sets a 32-byte slot of a 20-byte address to a 32-byte value. */
export function setStorage(
  chain: EditableChain,
  address: Uint8Array,
  slot: Uint8Array,
  value: Uint8Array,
): Promise<void> {
  return edit(chain, async (state) => {
    const target = new Address(address)
    if ((await state.getAccount(target)) === undefined) await state.putAccount(target, new Account())
    await state.writeStorage(address, slot, withoutLeadingZeros(value))
  })
}

function edit(chain: EditableChain, change: (state: WorkingState) => Promise<void>): Promise<void> {
  return chain.exclusively(() => chain.editState(change))
}

type AccountNumbers = Pick<Account, 'balance' | 'nonce'>

async function changeAccount(
  state: WorkingState,
  address: Uint8Array,
  change: (account: AccountNumbers) => Partial<AccountNumbers>,
): Promise<void> {
  const target = new Address(address)
  const account = await state.getAccount(target)
  const { balance, nonce } = account ?? new Account()
  const changed = { balance, nonce, ...change({ balance, nonce }) }
  // An account that holds nothing is none (EIP-161).
  if (account === undefined && changed.balance === 0n && changed.nonce === 0n) return
  await state.modifyAccountFields(target, changed)
}

function withoutLeadingZeros(value: Uint8Array): Uint8Array {
  const first = value.findIndex((byte) => byte !== 0)
  return first < 0 ? new Uint8Array(0) : value.subarray(first)
}
