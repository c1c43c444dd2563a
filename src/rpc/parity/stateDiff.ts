import type { PrestateAccount } from '../../chain/tracing/prestateAccount.js'
import type { PrestateTracer } from '../../chain/tracing/prestateTracer.js'
import { bytesToHex } from '../../encoding/hex.js'
import { quantity } from '../../encoding/quantity.js'
import type { JsonValue } from '../json.js'

const ZERO_SLOT = '0'.repeat(64)

/** What an execution changed, in Parity's form: `=` as it was, `*` changed, `+` new, `-` gone. */
export function stateDiff({ pre, post }: Pick<PrestateTracer, 'pre' | 'post'>): JsonValue {
  const accounts = [...pre].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    accounts.map(([address, before]) => [`0x${address}`, accountDiff(before, post.get(address))]),
  )
}

function accountDiff(before: PrestateAccount, after: PrestateAccount | undefined): JsonValue {
  if (after === undefined) return wholeAccount('-', before)
  if (before.isAbsent) return wholeAccount('+', after)
  return {
    balance: changed(before.balance, after.balance),
    nonce: changed(before.nonce, after.nonce),
    code:
      after.codeHash === undefined
        ? '='
        : { '*': { from: bytesToHex(before.code), to: bytesToHex(after.code) } },
    storage: storageDiff(before.storage, after.storage),
  }
}

function wholeAccount(sign: '+' | '-', { balance, nonce, code, storage }: PrestateAccount): JsonValue {
  const slots = [...storage].map(([slot, value]) => [`0x${slot}`, { [sign]: `0x${value}` }])
  return {
    balance: { [sign]: quantity(balance ?? 0n) },
    nonce: { [sign]: quantity(nonce ?? 0n) },
    code: { [sign]: bytesToHex(code) },
    storage: Object.fromEntries(slots) as JsonValue,
  }
}

function changed(before = 0n, after: bigint | undefined): JsonValue {
  return after === undefined ? '=' : { '*': { from: quantity(before), to: quantity(after) } }
}

function storageDiff(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): JsonValue {
  const slots = [...new Set([...before.keys(), ...after.keys()])].sort()
  return Object.fromEntries(
    slots.map((slot) => {
      const [from, to] = [before.get(slot) ?? ZERO_SLOT, after.get(slot) ?? ZERO_SLOT]
      return [`0x${slot}`, { '*': { from: `0x${from}`, to: `0x${to}` } }]
    }),
  )
}
