import { expect, it } from 'vitest'
import { addressKey } from './addressKey.js'

function addressOf(first: number, last: number): Uint8Array {
  const address = new Uint8Array(20)
  address[0] = first
  address[19] = last
  return address
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}

it('gives each address the text of its bytes, whichever was asked for before', () => {
  const addresses = [addressOf(1, 200), addressOf(2, 200), addressOf(1, 201), addressOf(0, 0)]
  for (const address of [...addresses, ...addresses.reverse()])
    expect(addressKey(address)).toBe(latin1(address))
})

it('does not follow what is written into an array later', () => {
  const address = addressOf(3, 7)
  expect(addressKey(address)).toBe(latin1(addressOf(3, 7)))
  address[0] = 4
  expect(addressKey(address)).toBe(latin1(addressOf(4, 7)))
  expect(addressKey(addressOf(3, 7))).toBe(latin1(addressOf(3, 7)))
})

it('keeps apart what has another length', () => {
  expect(addressKey(Uint8Array.of(9))).toBe('\t')
  expect(addressKey(addressOf(0, 9))).toBe(latin1(addressOf(0, 9)))
})
