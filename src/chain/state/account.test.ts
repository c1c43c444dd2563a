import { expect, it } from 'vitest'
import { ByteCache, addressKey, bytesKey } from './account.js'

function addressOf(first: number, last: number): Uint8Array {
  const address = new Uint8Array(20)
  address[0] = first
  address[19] = last
  return address
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}

it('returns the string of the bytes of each address, regardless of earlier ones', () => {
  const addresses = [addressOf(1, 200), addressOf(2, 200), addressOf(1, 201), addressOf(0, 0)]
  for (const address of [...addresses, ...addresses.reverse()])
    expect(addressKey(address)).toBe(latin1(address))
})

it('is not affected by later writes to the array', () => {
  const address = addressOf(3, 7)
  expect(addressKey(address)).toBe(latin1(addressOf(3, 7)))
  address[0] = 4
  expect(addressKey(address)).toBe(latin1(addressOf(4, 7)))
  expect(addressKey(addressOf(3, 7))).toBe(latin1(addressOf(3, 7)))
})

it('distinguishes different lengths', () => {
  expect(addressKey(Uint8Array.of(9))).toBe('\t')
  expect(addressKey(addressOf(0, 9))).toBe(latin1(addressOf(0, 9)))
})

it('finds only stored values', () => {
  const cache = new ByteCache(1_000_000)
  const value = Uint8Array.of(1)
  cache.set('a', value)
  expect(cache.get('a')).toBe(value)
  expect(cache.get('b')).toBeUndefined()
})

it('stays within its limit and keeps what is in use', () => {
  const cache = new ByteCache(200_000)
  const used = new Uint8Array(100)
  cache.set('used', used)
  let kept = 0
  for (let i = 0; i < 10_000; i++) {
    cache.set(`entry ${i}`, new Uint8Array(100))
    expect(cache.get('used')).toBe(used)
  }
  for (let i = 0; i < 10_000; i++) if (cache.get(`entry ${i}`) !== undefined) kept++
  expect(kept).toBeGreaterThan(100)
  expect(kept * 100).toBeLessThan(200_000)
  expect(cache.get('entry 9999')).toBeDefined()
})

it('removes taken values from either generation, and frees their space', () => {
  const cache = new ByteCache(200_000)
  const value = Uint8Array.of(1)
  for (let i = 0; i < 10_000; i++) {
    cache.set('young', value)
    expect(cache.take('young')).toBe(value)
    expect(cache.take('young')).toBeUndefined()
  }
  cache.set('kept', value)
  for (let i = 0; i < 10_000; i++) {
    cache.set(`passing ${i}`, new Uint8Array(100))
    cache.take(`passing ${i}`)
  }
  expect(cache.get('kept')).toBe(value)
  for (let i = 0; i < 250; i++) cache.set(`ageing ${i}`, new Uint8Array(100))
  expect(cache.take('kept')).toBe(value)
  expect(cache.get('kept')).toBeUndefined()
})

it('creates different keys from different bytes, including views', () => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i)
  expect(new Set(Array.from(all, (_, i) => bytesKey(all.subarray(i, i + 1)))).size).toBe(256)
  expect(bytesKey(all.subarray(3, 5))).toBe(bytesKey(Uint8Array.of(3, 4)))
})
