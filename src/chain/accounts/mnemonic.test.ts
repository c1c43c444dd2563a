import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../encoding/hex.js'
import { checksumAddress } from './address.js'
import { privateKeyToAddress } from '../crypto.js'
import { DEFAULT_MNEMONIC, deriveAccounts, InvalidMnemonicError } from './mnemonic.js'

describe('deriveAccounts', () => {
  it('derives the accounts of every development node', async () => {
    const accounts = await deriveAccounts({ count: 10 })
    expect(accounts.length).toBe(10)
    const [first] = accounts
    expect(first && checksumAddress(first.address)).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
    expect(first && bytesToHex(first.privateKey)).toBe(
      '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    )
    expect(accounts[9] && checksumAddress(accounts[9].address)).toBe(
      '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
    )
  })

  it.each([
    ['legal winner thank year wave sausage worth useful legal winner thank yellow', "m/44'/60'/0'/0/"],
    ['letter advice cage absurd amount doctor acoustic avoid letter advice cage above', "m/44'/60'/1'"],
    ['myth like bonus scare over problem client lizard pioneer submit female collect', 'm/0/1/2147483647'],
  ])('agrees with another implementation: %s at %s', async (mnemonic, path) => {
    const accounts = await deriveAccounts({ mnemonic, path, count: 3 })
    const parent = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive(path.replace(/\/$/, ''))
    const expected = [0, 1, 2].map((index) => parent.deriveChild(index).privateKey)
    expect(accounts.map(({ privateKey }) => privateKey)).toEqual(expected)
  })

  it.each([0, 1, 20, 21])('agrees on %i accounts of the shared mnemonic', async (count) => {
    const parent = HDKey.fromMasterSeed(mnemonicToSeedSync(DEFAULT_MNEMONIC)).derive("m/44'/60'/0'/0")
    const expected = Array.from({ length: count }, (_, index) => {
      const { privateKey } = parent.deriveChild(index)
      return privateKey && { address: privateKeyToAddress(privateKey), privateKey }
    })
    expect(await deriveAccounts({ count })).toEqual(expected)
  })

  it('rejects an invalid mnemonic', async () => {
    await expect(deriveAccounts({ mnemonic: 'test test test', count: 1 })).rejects.toThrow(
      InvalidMnemonicError,
    )
    const wrongSum = 'legal winner thank year wave sausage worth useful legal winner thank legal'
    await expect(deriveAccounts({ mnemonic: wrongSum, count: 1 })).rejects.toThrow(InvalidMnemonicError)
  })
})
