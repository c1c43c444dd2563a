import { RLP } from '@ethereumjs/rlp'
import { Account, Address } from '@ethereumjs/util'
import { minimalBytes } from '../../encoding/quantity.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { recover } from '../crypto.js'
import { keccak256 } from '../keccak.js'
import type { Authorization } from './callObject.js'
import { delegationCode, isDelegation } from './delegation.js'
import type { PooledEvm } from './pooledEvm.js'

/** EIP-7702: what stands before the RLP of the signed fields. */
const MAGIC = 0x05
/** EIP-7702: what is given back when the authority exists already (PER_EMPTY_ACCOUNT_COST - PER_AUTH_BASE_COST). */
const EXISTING_AUTHORITY_REFUND = 12_500n
const MAX_NONCE = 2n ** 64n - 1n
/** EIP-2: the upper half of the curve's order is not used for s. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** The 20-byte address that signed an authorization, or undefined if its signature belongs to none. */
export function recoverAuthority({
  chainId,
  address,
  nonce,
  yParity,
  r,
  s,
}: Authorization): Uint8Array | undefined {
  if (yParity > 1n || s > HALF_ORDER) return undefined
  const fields = RLP.encode([minimalBytes(chainId), address, minimalBytes(nonce)])
  const signed = new Uint8Array(fields.length + 1)
  signed[0] = MAGIC
  signed.set(fields, 1)
  try {
    return recover(keccak256(signed), { r, s, yParity: yParity === 0n ? 0 : 1 })
  } catch {
    return undefined
  }
}

/**
 * Applies the authorizations of a message in order; those that are not valid are passed over (EIP-7702).
 *
 * @returns the gas to give back for authorities that existed already
 */
export async function applyAuthorizations(
  evm: PooledEvm,
  authorizations: readonly Authorization[],
): Promise<bigint> {
  let refund = 0n
  const slice = new TimeSlice()
  for (const authorization of authorizations) {
    refund += await applyAuthorization(evm, authorization)
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return refund
}

async function applyAuthorization(evm: PooledEvm, authorization: Authorization): Promise<bigint> {
  const { chainId, nonce, address } = authorization
  if (chainId !== 0n && chainId !== evm.common.chainId()) return 0n
  if (nonce >= MAX_NONCE) return 0n
  const signer = recoverAuthority(authorization)
  if (signer === undefined) return 0n
  const authority = new Address(signer)
  evm.frameJournal.warmAddress(signer)
  const existing = await evm.stateManager.getAccount(authority)
  const code = await evm.stateManager.getCode(authority)
  if (code.length > 0 && !isDelegation(code)) return 0n
  const account = existing ?? new Account()
  if (account.nonce !== nonce) return 0n
  account.nonce++
  await evm.journal.putAccount(authority, account)
  const isRevoked = address.every((byte) => byte === 0)
  await evm.stateManager.putCode(authority, isRevoked ? new Uint8Array(0) : delegationCode(address))
  return existing === undefined ? 0n : EXISTING_AUTHORITY_REFUND
}
