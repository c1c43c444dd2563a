import { expect, it } from 'vitest'
import { digestInSlices, hashFunctionByName } from './cidFormat.js'

it.each([
  [
    'shake-256',
    '0e3c505b403532c8a14d57563484c76b06312d86320042636847798ca3b3d639' +
      '3316d32fd4487c68da901bc7341edcf5c38b92d6d290719bf4650aeacaabe9d5',
  ],
  ['dbl-sha2-256', '95685520713f0b4011c7daab8cb8906668eda7bac26571e4fdd70a1a9d9773a1'],
])('hashes megabytes in turns with %s', async (name, digest) => {
  // Digests by Python's hashlib.
  const bytes = new Uint8Array(3 * 1024 * 1024 + 5).fill(7)
  const hash = await hashFunctionByName(name)
  expect(hash.begin).toBeDefined()
  expect(Buffer.from(await digestInSlices(hash, bytes)).toString('hex')).toBe(digest)
  expect(Buffer.from(hash.digest(bytes)).toString('hex')).toBe(digest)
})

it('calls a function by its name, not by an alias', async () => {
  expect((await hashFunctionByName('sha3')).name).toBe('sha3-512')
})
