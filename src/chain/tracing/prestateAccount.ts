import { bytesEqual } from '../../encoding/hex.js'
import { EMPTY_CODE_HASH } from '../state/account.js'
import type { TracedState } from './tracer.js'

/** An account at one moment, as far as a prestate tracer looked at it. */
export interface PrestateAccount {
  /** Wei; absent where it did not change. */
  balance?: bigint
  nonce?: bigint
  code: Uint8Array
  /** 32 bytes; absent where there is no code. */
  codeHash?: Uint8Array
  /** 64 hexadecimal digits to 64. */
  storage: Map<string, string>
  /** Whether it has neither balance nor nonce nor code. */
  isEmpty: boolean
  /** Whether the state does not have it at all. */
  isAbsent: boolean
}

/** An account as the state has it now, without storage. */
export async function readAccount(state: TracedState, address: Uint8Array): Promise<PrestateAccount> {
  const account = await state.readAccount(address)
  const code = await state.readCode(address)
  const { balance = 0n, nonce = 0n, codeHash } = account ?? {}
  const hasCode = codeHash !== undefined && !bytesEqual(codeHash, EMPTY_CODE_HASH)
  return {
    balance,
    nonce,
    code,
    ...(hasCode && { codeHash }),
    storage: new Map(),
    isEmpty: balance === 0n && nonce === 0n && !hasCode,
    isAbsent: account === undefined,
  }
}
