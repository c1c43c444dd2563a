import { expect, it } from 'vitest'
import { KECCAK_MODULE } from './moduleBytes.js'
import { keccakModule } from './wasmModule.js'

it('is the module that the source assembles', () => {
  expect(KECCAK_MODULE).toBe(Buffer.from(keccakModule(1)).toString('base64'))
})
