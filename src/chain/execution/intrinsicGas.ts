import type { ForkRules } from '../types.js'
import type { Message } from './message.js'
import { integerWord } from './words.js'

/** Gas of a plain transfer. */
export const TRANSACTION_GAS = 21_000n
/** Homestead: what a creation costs on top. */
const CREATION_GAS = 32_000n
const ZERO_BYTE_GAS = 4
/** EIP-2028 lowered it to 16 with Istanbul. */
const NONZERO_BYTE_GAS_FRONTIER = 68
const NONZERO_BYTE_GAS = 16
/** EIP-3860. */
const INITCODE_WORD_GAS = 2n
/** EIP-2930. */
const ACCESS_LIST_ADDRESS_GAS = 2_400n
const ACCESS_LIST_KEY_GAS = 1_900n
/** EIP-7702, PER_EMPTY_ACCOUNT_COST. */
export const AUTHORIZATION_GAS = 25_000n
/** EIP-7623: a non-zero byte is as many tokens as this, a zero byte is one. */
const TOKENS_PER_NONZERO_BYTE = 4
/** EIP-7623, TOTAL_COST_FLOOR_PER_TOKEN. */
const FLOOR_GAS_PER_TOKEN = 10

/** Most bytes of creation code (EIP-3860), or as many as the chain allows in the place of that; undefined before. */
export function maxInitcodeSize(rules: ForkRules): bigint | undefined {
  return rules.isActivatedEIP(3860) ? rules.param('maxInitCodeSize') : undefined
}

/** How many bytes are not zero. */
export function countNonzero(data: Uint8Array): number {
  let count = 0
  for (let i = 0; i < data.length; i++) if (data[i] !== 0) count++
  return count
}

/** What a message costs before its first opcode (geth: core/state_transition.go, IntrinsicGas). */
export function intrinsicGas(
  {
    to,
    data,
    accessList,
    authorizationList = [],
  }: Pick<Message, 'data' | 'accessList'> & Partial<Pick<Message, 'to' | 'authorizationList'>>,
  rules: ForkRules,
  nonzero = countNonzero(data),
): bigint {
  const perNonzero = rules.gteHardfork('istanbul') ? NONZERO_BYTE_GAS : NONZERO_BYTE_GAS_FRONTIER
  let gas = TRANSACTION_GAS + integerWord(nonzero * perNonzero + (data.length - nonzero) * ZERO_BYTE_GAS)
  if (to === undefined) {
    if (rules.gteHardfork('homestead')) gas += CREATION_GAS
    if (rules.isActivatedEIP(3860)) gas += BigInt(Math.ceil(data.length / 32)) * INITCODE_WORD_GAS
  }
  if (accessList.length > 0) {
    const keys = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
    gas += BigInt(accessList.length) * ACCESS_LIST_ADDRESS_GAS + BigInt(keys) * ACCESS_LIST_KEY_GAS
  }
  if (authorizationList.length === 0) return gas
  return gas + BigInt(authorizationList.length) * AUTHORIZATION_GAS
}

/** The least that a message with this data pays in all (EIP-7623); zero where it is not in force. */
export function floorGas(data: Uint8Array, rules: ForkRules, nonzero = countNonzero(data)): bigint {
  if (!rules.isActivatedEIP(7623)) return 0n
  const tokens = data.length - nonzero + nonzero * TOKENS_PER_NONZERO_BYTE
  return TRANSACTION_GAS + integerWord(tokens * FLOOR_GAS_PER_TOKEN)
}
