import { bytesEqual } from '../../encoding/hex.js'
import { EMPTY_ROOT } from './trieNode.js'
import type { AccountState } from '../types.js'
import type { AccountEntry, AccountRecord, SlotEntry } from './entries.js'

/** A slot whose value is another than in the base. Values are minimal: without leading zeros. */
export interface SlotChange {
  /** 32 bytes. */
  key: Uint8Array
  /** None where the storage was cleared before. */
  before: Uint8Array
  after: Uint8Array
}

/** An account that is another than in the base. */
export interface AccountChange {
  /** 20 bytes. */
  address: Uint8Array
  /** Undefined if the base has no such account. */
  before: AccountState | undefined
  /** Undefined if the account is gone. */
  after: AccountRecord | undefined
  /** Whether all slots of the base are gone; those in `slots` were written afterwards. */
  storageCleared: boolean
  slots: SlotChange[]
}

/** What became of an account, or undefined if it is as in the base. */
export function changeOf({ address, base, current, storage }: AccountEntry): AccountChange | undefined {
  const baseHasStorage = base !== undefined && !bytesEqual(base.storageRoot, EMPTY_ROOT)
  const storageCleared = baseHasStorage && (current === undefined || !storage.isOverBase)
  const slots = current === undefined ? [] : [...storage.written].filter(isChanged)
  if (isSameRecord(base, current) && !storageCleared && slots.length === 0) return undefined
  return {
    address,
    before: base,
    after: current,
    storageCleared,
    slots: slots.map(({ key, base: before, value }) => ({ key, before, after: value })),
  }
}

function isChanged(slot: SlotEntry): boolean {
  return slot.value !== slot.base && !bytesEqual(slot.value, slot.base)
}

/** Whether two accounts, or their absence, are the same apart from storage. */
export function isSameRecord(a: AccountRecord | undefined, b: AccountRecord | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.nonce === b.nonce && a.balance === b.balance && bytesEqual(a.codeHash, b.codeHash)
}
