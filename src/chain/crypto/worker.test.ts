import { expect, test } from 'vitest'
import { computeInWorker } from './worker.js'

/** Generators of both groups (EIP-197), negated in the second pair: an even number of pairs has the product one. */
const firstGenerator = [1n, 2n]
const secondGenerator = [
  0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2n,
  0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6edn,
  0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975bn,
  0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daan,
]
const prime = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n

function pairs(count: number): Uint8Array {
  const words = Array.from({ length: count }, (_, index) => {
    const [x = 0n, y = 0n] = firstGenerator
    return [x, index % 2 === 0 ? y : prime - y, ...secondGenerator]
  })
  return Buffer.from(
    words
      .flat()
      .map((word) => word.toString(16).padStart(64, '0'))
      .join(''),
    'hex',
  )
}

test('short work does not wait for long work, and the shorter of long work runs first', async () => {
  const order: number[] = []
  const compute = async (count: number): Promise<void> => {
    const product = await computeInWorker('bn254Pairing', pairs(count))
    expect(product.at(-1)).toBe(count % 2 === 0 ? 1 : 0)
    order.push(count)
  }
  // Both threads have started before.
  await Promise.all([compute(4), compute(30)])
  await Promise.all([compute(200), compute(101), compute(50), compute(2)])
  expect(order.slice(2)).toEqual([2, 200, 50, 101])
})
