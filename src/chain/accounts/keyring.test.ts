import { type TypedDataDefinition, recoverMessageAddress, recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { checksumAddress } from './address.js'
import { InvalidTypedDataError, Keyring, UnknownAccountError } from './keyring.js'
import { deriveAccounts } from './mnemonic.js'

const accounts = await deriveAccounts({ count: 2 })
const keyring = new Keyring(accounts)
const [address] = keyring.addresses() as [Uint8Array, Uint8Array]
const viemAccount = privateKeyToAccount(bytesToHex(keyring.privateKey(address)))
const stranger = new Uint8Array(20).fill(9)

/** The example from EIP-712. */
const mail = {
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
} as const satisfies TypedDataDefinition

describe('Keyring', () => {
  it('signs messages like viem', async () => {
    for (const raw of ['0x', '0x68656c6c6f', `0x${'ff'.repeat(300)}`] as const) {
      const signature = bytesToHex(await keyring.signMessage(address, hexToBytes(raw)))
      expect(signature).toBe(await viemAccount.signMessage({ message: { raw } }))
      expect(await recoverMessageAddress({ message: { raw }, signature })).toBe(checksumAddress(address))
    }
  })

  it('signs typed data like viem, from an object or its text', async () => {
    const expected = await viemAccount.signTypedData(mail)
    expect(bytesToHex(await keyring.signTypedData(address, mail))).toBe(expected)
    const withDomain = {
      ...mail,
      types: {
        ...mail.types,
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
      },
    }
    const signature = bytesToHex(await keyring.signTypedData(address, withDomain))
    expect(signature).toBe(expected)
    expect(await recoverTypedDataAddress({ ...mail, signature })).toBe(checksumAddress(address))
  })

  it('knows only its own accounts', async () => {
    expect([...keyring.addresses()]).toEqual(accounts.map((account) => account.address))
    expect(keyring.first).toEqual(accounts[0]?.address)
    expect([keyring.has(address), keyring.has(stranger)]).toEqual([true, false])
    await expect(keyring.signMessage(stranger, new Uint8Array(1))).rejects.toThrow(
      new UnknownAccountError(stranger),
    )
    await expect(keyring.signTypedData(stranger, mail)).rejects.toThrow('unknown account')
    await expect(keyring.signTypedData(address, {})).rejects.toThrow(InvalidTypedDataError)
    await expect(keyring.signTypedData(address, { ...mail, primaryType: 'Letter' })).rejects.toThrow(
      InvalidTypedDataError,
    )
  })
})
