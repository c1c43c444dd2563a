import { randomBytes } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, it } from 'vitest'
import { bytesToHex } from '../encoding/hex.js'
import { keccak256 } from './crypto.js'

it('hashes the empty input to the well-known value', () => {
  expect(bytesToHex(keccak256(new Uint8Array(0)))).toBe(
    '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
})

it('agrees with another implementation on every length around its block size and beyond its buffer', () => {
  for (const length of [1, 31, 32, 64, 135, 136, 137, 271, 272, 273, 532, 16_384, 16_385, 100_000]) {
    const input = new Uint8Array(randomBytes(length))
    expect(keccak256(input)).toEqual(keccak_256(input))
  }
})

it('returns a fresh array', () => {
  const first = keccak256(new Uint8Array([1]))
  const copy = first.slice()
  keccak256(new Uint8Array([2]))
  expect(first).toEqual(copy)
  expect(first.buffer.byteLength).toBe(32)
})
