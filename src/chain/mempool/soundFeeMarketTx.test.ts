import { createFeeMarket1559Tx, createFeeMarket1559TxFromRLP, FeeMarket1559Tx } from '@ethereumjs/tx'
import { describe, expect, it } from 'vitest'
import { privateKeyToAccount } from 'viem/accounts'
import { hexToBytes } from '../../encoding/hex.js'
import { createRules } from '../evm/rules.js'
import { serializedTransaction } from '../block/serialized.js'
import { decodeTransaction, type TransactionFields } from './decode.js'
import { SoundFeeMarketTx } from './soundFeeMarketTx.js'

const rules = createRules({ chainId: 31337n, hardfork: 'osaka' })
const options = { common: rules, allowUnlimitedInitCodeSize: true }
const account = privateKeyToAccount(`0x${'07'.repeat(32)}`)
const to = `0x${'ab'.repeat(20)}` as const
const plain = {
  type: 'eip1559' as const,
  chainId: 31337,
  nonce: 300,
  gas: 100_000n,
  value: 10n ** 18n,
  data: '0x0102' as const,
  maxFeePerGas: 3_000_000_000n,
  maxPriorityFeePerGas: 2n,
}

async function signed(changes: object): Promise<Uint8Array> {
  return hexToBytes(await account.signTransaction({ ...plain, ...changes }))
}

describe('SoundFeeMarketTx', () => {
  it.each([
    ['a transfer', { to, data: '0x' }],
    ['a call', { to }],
    ['a creation', {}],
    ['zeros', { to, nonce: 0, value: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }],
    ['the largest fees', { to, gas: 21_000n, maxFeePerGas: (2n ** 256n - 1n) / 21_000n }],
  ])('is what the constructor of the library makes: %s', async (_, changes) => {
    const raw = await signed(changes)
    const made = SoundFeeMarketTx.from(decodeTransaction(raw), rules)
    const constructed = createFeeMarket1559TxFromRLP(raw, options)
    expect(made).toBeInstanceOf(FeeMarket1559Tx)
    expect(Object.keys(made!).sort()).toEqual(Object.keys(constructed).sort())
    expect({ ...made }).toEqual({ ...constructed })
    expect(made!.serialize()).toEqual(raw)
    expect(serializedTransaction(made!)).toEqual(raw)
    expect(made!.hash()).toEqual(constructed.hash())
    expect(made!.toJSON()).toEqual(constructed.toJSON())
    expect(made!.raw()).toEqual(constructed.raw())
    expect(made!.getMessageToSign()).toEqual(constructed.getMessageToSign())
    expect(made!.getSenderAddress().toString()).toBe(account.address.toLowerCase())
    expect(made!.getUpfrontCost(7n)).toBe(constructed.getUpfrontCost(7n))
    expect(made!.getIntrinsicGas()).toBe(constructed.getIntrinsicGas())
    expect(made!.errorStr()).toBe(constructed.errorStr())
  })

  it('leaves to the library what its constructor refuses', async () => {
    const fields = decodeTransaction(await signed({ to }))
    const refused: Partial<TransactionFields>[] = [
      { chainId: 1n },
      { nonce: 2n ** 64n - 1n },
      { value: 2n ** 256n },
      { gasLimit: 2n ** 64n },
      { maxFeePerGas: 1n },
      { maxFeePerGas: 2n ** 256n },
      { maxFeePerGas: 2n ** 250n },
      { v: 2n },
      { r: 2n ** 256n },
      { s: 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1n },
    ]
    for (const changes of refused) {
      const changed = { ...fields, ...changes }
      const { accessList: _, gasPrice: __, to: recipient, ...rest } = changed
      expect(() => createFeeMarket1559Tx({ ...rest, to: recipient! }, options)).toThrow()
      expect(SoundFeeMarketTx.from(changed, rules)).toBeUndefined()
    }
  })

  it('leaves to the library what is not of its kind or not in force', async () => {
    const fields = decodeTransaction(await signed({ to }))
    const berlin = createRules({ chainId: 31337n, hardfork: 'berlin' })
    const capped = createRules({ chainId: 31337n, hardfork: 'osaka', transactionGasLimitCap: true })
    expect(SoundFeeMarketTx.from(fields, berlin)).toBeUndefined()
    expect(SoundFeeMarketTx.from(fields, capped)).toBeUndefined()
    expect(SoundFeeMarketTx.from({ ...fields, type: 1 }, rules)).toBeUndefined()
    const listed = decodeTransaction(await signed({ to, accessList: [{ address: to, storageKeys: [] }] }))
    expect(SoundFeeMarketTx.from(listed, rules)).toBeUndefined()
  })
})
