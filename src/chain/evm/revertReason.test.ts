import { expect, it } from 'vitest'
import { bigintToBytes, hexToBytes, joinBytes } from '../../encoding/hex.js'
import { decodeRevertReason } from './revertReason.js'

/** ABI encoding of Error(string) with these bytes. */
function errorOf(text: Uint8Array): Uint8Array {
  const padding = new Uint8Array((32 - (text.length % 32)) % 32)
  const words = [32n, BigInt(text.length)].map((word) => bigintToBytes(word, 32))
  return joinBytes([hexToBytes('0x08c379a0'), ...words, text, padding])
}

// Reasons that geth 1.17.10 returned for eth_call and in callTracer.
it.each([
  ['c3a96f6b', '\u00e9ok'],
  ['e282', '\ufffd\ufffd'],
  ['61fffe62', 'a\ufffd\ufffdb'],
  ['f09f98', '\ufffd\ufffd\ufffd'],
  ['eda080', '\ufffd\ufffd\ufffd'],
  ['f4908080', '\ufffd\ufffd\ufffd\ufffd'],
  ['e28241', '\ufffd\ufffdA'],
  ['c080', '\ufffd\ufffd'],
])('decodes the bytes %s of a reason like geth', (bytes, reason) => {
  expect(decodeRevertReason(errorOf(hexToBytes(`0x${bytes}`)))).toBe(reason)
})

it('decodes a reason of many bytes only if it is text', () => {
  const bytes = new Uint8Array(100_000)
  expect(decodeRevertReason(errorOf(bytes.fill(0x61)))).toBe('a'.repeat(100_000))
  expect(decodeRevertReason(errorOf(bytes.fill(0xff)))).toBeUndefined()
})
