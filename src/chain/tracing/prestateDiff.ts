import { bytesEqual } from '../../encoding/hex.js'
import { EMPTY_CODE_HASH } from '../state/account.js'
import type { PrestateAccount } from './prestateAccount.js'
import type { PrestateOptions } from './prestateOptions.js'

const ZERO_SLOT = '0'.repeat(64)

/**
 * What of an account is different afterwards; slots that are zero now are left out. From `before` goes what did not
 * change, and what was zero.
 *
 * @returns undefined if nothing is different
 */
export function changedAccount(
  before: PrestateAccount,
  after: PrestateAccount,
  { disableCode = false, disableStorage = false }: PrestateOptions,
): PrestateAccount | undefined {
  const changed: PrestateAccount = {
    code: new Uint8Array(0),
    storage: new Map(),
    isEmpty: false,
    isAbsent: false,
  }
  let isChanged = false
  if (before.balance !== after.balance) {
    isChanged = true
    changed.balance = after.balance ?? 0n
  }
  if (before.nonce !== after.nonce) {
    isChanged = true
    changed.nonce = after.nonce ?? 0n
  }
  if (!bytesEqual(hashOf(before), hashOf(after))) {
    isChanged = true
    changed.codeHash = hashOf(after)
    if (!disableCode) changed.code = after.code
  }
  if (!disableStorage && moveSlots(before.storage, after.storage, changed.storage)) isChanged = true
  return isChanged ? changed : undefined
}

function hashOf({ codeHash }: PrestateAccount): Uint8Array {
  return codeHash ?? EMPTY_CODE_HASH
}

/** @returns whether a slot is different */
function moveSlots(
  before: Map<string, string>,
  after: ReadonlyMap<string, string>,
  changed: Map<string, string>,
): boolean {
  let isChanged = false
  for (const [slot, value] of before) {
    const now = after.get(slot) ?? ZERO_SLOT
    if (now !== value) {
      isChanged = true
      if (now !== ZERO_SLOT) changed.set(slot, now)
    }
    if (now === value || value === ZERO_SLOT) before.delete(slot)
  }
  return isChanged
}
