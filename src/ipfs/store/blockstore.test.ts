import { createHash, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { isIntact } from './blockstore.js'

const data = Uint8Array.from(randomBytes(1000))
/** Encodes a multihash: code and digest length, a byte each, and the digest. */
const multihash = (code: number, digest: Uint8Array): Uint8Array =>
  Uint8Array.of(code, digest.length, ...digest)
const sha256 = createHash('sha256').update(data).digest()

it('accepts only bytes that match their multihash', async () => {
  expect(await isIntact(multihash(0x12, sha256), data)).toBe(true)
  expect(await isIntact(multihash(0x12, sha256.subarray(0, 20)), data)).toBe(true)
  expect(await isIntact(multihash(0x12, sha256), data.subarray(1))).toBe(false)
  expect(await isIntact(multihash(0x11, sha256), data)).toBe(false)
})

it('trusts an unknown hash function', async () => {
  expect(await isIntact(multihash(0x7f, sha256), data)).toBe(true)
})

it('rejects a key that is not a multihash', async () => {
  expect(await isIntact(new Uint8Array(34), data)).toBe(false)
  expect(await isIntact(multihash(0x12, sha256).subarray(0, 30), data)).toBe(false)
  expect(await isIntact(new Uint8Array(0), data)).toBe(false)
})
