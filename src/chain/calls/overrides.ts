import { Account, Address } from '@ethereumjs/util'
import { bytesToPlainHex } from '../../encoding/hex.js'
import { sortInSteps } from '../../encoding/sorting.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { checksumAddress } from '../accounts/address.js'
import { ChainError } from '../errors.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { stripZeros } from '../state/account.js'

/** A storage slot and its overriding value. */
export interface SlotOverride {
  /** 32 bytes. */
  slot: Uint8Array
  /** 32 bytes. */
  value: Uint8Array
}

/** Overrides of an account for one call. */
export interface AccountOverride {
  /** 20 bytes. */
  address: Uint8Array
  nonce?: bigint
  code?: Uint8Array
  /** Wei. */
  balance?: bigint
  /** Replaces the entire storage. */
  state?: readonly SlotOverride[]
  /** Replaces only these slots. */
  stateDiff?: readonly SlotOverride[]
  /** 20 bytes; the new address of the precompile at this one. */
  movePrecompileToAddress?: Uint8Array
}

/**
 * How overrides affect precompiles. In geth, calls replace and move them; estimates only check the overrides, and keep
 * the precompiles in place; for access lists no account counts as a precompile.
 */
export type PrecompileOverrides = 'applied' | 'checked' | 'none'

/**
 * Overrides the state that an EVM is bound to (geth: internal/ethapi/override, StateOverride.Apply). Any override of a
 * precompile's address removes the precompile.
 *
 * @throws ChainError with geth's message if overrides contradict each other
 */
export async function applyStateOverrides(
  evm: PooledEvm,
  overrides: readonly AccountOverride[],
  precompileOverrides: PrecompileOverrides,
): Promise<void> {
  const precompiles = new Map(precompileOverrides === 'none' ? [] : evm.precompiles)
  const slice = new TimeSlice()
  const ascending = await runInSlices(sortInSteps(overrides, byAddress), slice)
  const moved = new Set<string>()
  for (const override of ascending) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const key = bytesToPlainHex(override.address)
    if (moved.has(key)) {
      throw new ChainError(
        `account ${checksumAddress(override.address)} has already been overridden by a precompile`,
      )
    }
    const precompile = precompiles.get(key)
    const target = override.movePrecompileToAddress
    if (target !== undefined) {
      if (precompile === undefined) {
        throw new ChainError(`account ${checksumAddress(override.address)} is not a precompile`)
      }
      if (isOverridden(ascending, target)) {
        throw new ChainError(`account ${checksumAddress(target)} is already overridden`)
      }
      precompiles.set(bytesToPlainHex(target), precompile)
      moved.add(bytesToPlainHex(target))
    }
    precompiles.delete(key)
    await overrideAccount(evm, override, slice)
  }
  if (precompileOverrides === 'applied') evm.usePrecompiles(precompiles)
  evm.stateManager.originalStorageCache.clear()
}

function byAddress(a: AccountOverride, b: AccountOverride): number {
  return Buffer.compare(a.address, b.address)
}

/** Whether a 20-byte address is among overrides sorted by address. */
function isOverridden(ascending: readonly AccountOverride[], address: Uint8Array): boolean {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = byAddress(ascending[middle]!, { address })
    if (order === 0) return true
    if (order < 0) low = middle + 1
    else high = middle
  }
  return false
}

async function overrideAccount(
  { stateManager }: PooledEvm,
  override: AccountOverride,
  slice: TimeSlice,
): Promise<void> {
  const { nonce, balance, code, state, stateDiff } = override
  const address = new Address(override.address)
  if (state !== undefined && stateDiff !== undefined) {
    throw new ChainError(`account ${checksumAddress(override.address)} has both 'state' and 'stateDiff'`)
  }
  const changesNothing = [nonce, balance, code, state, stateDiff?.at(0)].every(
    (member) => member === undefined,
  )
  if (changesNothing) return
  const account = (await stateManager.getAccount(address)) ?? new Account()
  if (nonce !== undefined) account.nonce = nonce
  if (balance !== undefined) account.balance = balance
  // With all its slots.
  if (state !== undefined) await stateManager.deleteAccount(address)
  await stateManager.putAccount(address, account)
  if (code !== undefined) await stateManager.putCode(address, code)
  for (const { slot, value } of state ?? stateDiff ?? []) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    await stateManager.putStorage(address, slot, stripZeros(value))
  }
}
