import { ecrecover } from '@ethereumjs/util'
import { SigningKey } from 'ethers'
import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { bigintToBytes, bytesToHex, hexToBytes } from '../encoding/hex.js'

afterAll(() => vi.unstubAllEnvs())

const load = (backend: string) => {
  vi.stubEnv('STANDIN_SIGNATURE_BACKEND', backend)
  vi.resetModules()
  return import('./crypto.js')
}

describe.each([
  ['', 'secp256k1 (native)'],
  ['wasm', 'tiny-secp256k1 (wasm)'],
])('signatures with STANDIN_SIGNATURE_BACKEND=%j', async (setting, name) => {
  const crypto = await load(setting)

  it('reports the back end in use', () => {
    expect(crypto.signatureBackend()).toBe(name)
  })

  it('derives the address of the first account of the default test mnemonic', () => {
    const key = hexToBytes('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
    expect(bytesToHex(crypto.privateKeyToAddress(key))).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
  })

  it('signs like ethers and recovers the signer', () => {
    for (let round = 0; round < 20; round++) {
      const key = new Uint8Array(randomBytes(32))
      const hash = new Uint8Array(randomBytes(32))
      const signature = crypto.sign(hash, key)
      const { r, s, yParity } = new SigningKey(key).sign(hash)
      expect(signature).toEqual({ r: BigInt(r), s: BigInt(s), yParity })
      expect(bytesToHex(crypto.customCrypto.ecsign(hash, key))).toBe(
        `0x0${yParity}${r.slice(2)}${s.slice(2)}`,
      )
      expect(crypto.recover(hash, signature)).toEqual(crypto.privateKeyToAddress(key))
    }
  })

  it('recovers public keys for every form of v like ethereumjs', () => {
    const hash = new Uint8Array(randomBytes(32))
    const { r, s, yParity } = crypto.sign(hash, new Uint8Array(randomBytes(32)))
    const parts = [bigintToBytes(r, 32), bigintToBytes(s, 32)] as const
    const parity = BigInt(yParity)
    for (const [v, chainId] of [[parity], [27n + parity], [35n + 2n * 31337n + parity, 31337n]] as const) {
      expect(crypto.customCrypto.ecrecover(hash, v, ...parts, chainId)).toEqual(
        ecrecover(hash, v, ...parts, chainId),
      )
    }
    expect(() => crypto.customCrypto.ecrecover(hash, 29n, ...parts)).toThrow('Invalid signature v value')
  })

  it('rejects invalid signatures and keys', () => {
    const hash = new Uint8Array(32).fill(1)
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    expect(() => crypto.recover(hash, { r: 0n, s: 1n, yParity: 0 })).toThrow()
    expect(() => crypto.recover(hash, { r: order, s: 1n, yParity: 0 })).toThrow()
    expect(() => crypto.sign(hash, new Uint8Array(32))).toThrow()
    expect(() => crypto.privateKeyToAddress(bigintToBytes(order, 32))).toThrow()
  })
})

it.each([
  ['00'.repeat(20), '00'.repeat(32), '00', '0x4d1a2e2bb4f88f0250f26ffff098b0b30b26bf38'],
  [`deadbeef${'00'.repeat(16)}`, '00'.repeat(32), '00', '0xb928f69bb1d91cd65274e3c79d8986362984fda3'],
  [
    `${'00'.repeat(16)}deadbeef`,
    `${'00'.repeat(28)}cafebabe`,
    'deadbeef',
    '0x60f3f640a8508fc6a86d45df051962668e1e8ac7',
  ],
])('derives the addresses of the examples in EIP-1014: of %s', async (creator, salt, initcode, address) => {
  const { create2Address } = await load('')
  const [from, word, code] = [creator, salt, initcode].map((digits) => hexToBytes(`0x${digits}`))
  expect(bytesToHex(create2Address(from!, word!, code!))).toBe(address)
})
