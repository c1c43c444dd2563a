import { describe, expect, it } from 'vitest'
import { testHeader } from '../../../test/support/callSite.js'
import { ChainError, InvalidCallError } from '../errors.js'
import type { CallObject } from '../calls/callObject.js'
import { accessListFees, feeDefaults, type FeeMarket, type TransactionFees } from './feeDefaults.js'

const market: FeeMarket = {
  baseFee: 100n,
  nextBaseFee: 90n,
  blobBaseFee: 3n,
  suggestedTip: 7n,
  defaultFeeCap: 'twice the base fee',
  defersFeeChecksToMempool: false,
}
const hardhat: FeeMarket = {
  ...market,
  defaultFeeCap: 'twice the next base fee',
  defersFeeChecksToMempool: true,
}
const anvil: FeeMarket = { ...market, baseFee: 90n, nextBaseFee: 100n, defaultFeeCap: 'the next price' }
const frontier: FeeMarket = { ...market, baseFee: undefined, blobBaseFee: undefined }
const free: FeeMarket = { ...market, baseFee: 0n }
const zeroNext: FeeMarket = { ...market, nextBaseFee: 0n }
const expensiveNext: FeeMarket = { ...market, nextBaseFee: 1000n }
const replacing: FeeMarket = { ...market, replacedTip: 30n }

describe('feeDefaults', () => {
  it.each<[string, CallObject, FeeMarket, TransactionFees]>([
    ['nothing given', {}, market, { maxFeePerGas: 207n, maxPriorityFeePerGas: 7n }],
    ['a tip', { maxPriorityFeePerGas: 9n }, market, { maxFeePerGas: 209n, maxPriorityFeePerGas: 9n }],
    ['a cap', { maxFeePerGas: 50n }, market, { maxFeePerGas: 50n, maxPriorityFeePerGas: 7n }],
    [
      'a cap below the suggestion',
      { maxFeePerGas: 6n },
      market,
      { maxFeePerGas: 6n, maxPriorityFeePerGas: 6n },
    ],
    [
      'a cap that replaces',
      { maxFeePerGas: 50n },
      replacing,
      { maxFeePerGas: 50n, maxPriorityFeePerGas: 33n },
    ],
    ['nothing to replace with', {}, replacing, { maxFeePerGas: 207n, maxPriorityFeePerGas: 7n }],
    ['a base fee that was set', {}, expensiveNext, { maxFeePerGas: 2007n, maxPriorityFeePerGas: 7n }],
    ['no fees for a free block', { gasPrice: 0n }, zeroNext, { gasPrice: 0n }],
    ['a price', { gasPrice: 5n }, market, { gasPrice: 5n }],
    [
      'a tip in hardhat',
      { maxPriorityFeePerGas: 9n },
      hardhat,
      { maxFeePerGas: 189n, maxPriorityFeePerGas: 9n },
    ],
    ['a price of zero in hardhat', { gasPrice: 0n }, hardhat, { gasPrice: 0n }],
    ['a tip in anvil', { maxPriorityFeePerGas: 9n }, anvil, { maxFeePerGas: 107n, maxPriorityFeePerGas: 9n }],
    ['before London', {}, frontier, { gasPrice: 7n }],
    ['no fees unless requested', { gasPrice: 0n }, free, { gasPrice: 0n }],
    [
      'blobs',
      { blobVersionedHashes: [new Uint8Array(32)] },
      market,
      { maxFeePerGas: 207n, maxPriorityFeePerGas: 7n, maxFeePerBlobGas: 6n },
    ],
  ])('%s', (_, call, given, expected) => {
    expect(feeDefaults(call, given)).toEqual(expected)
  })

  it.each<[CallObject, FeeMarket, string]>([
    [
      { gasPrice: 1n, maxFeePerGas: 1n },
      market,
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
    ],
    [{ gasPrice: 1n, authorizationList: [] }, market, 'both gasPrice and authorizationList specified'],
    [{ gasPrice: 0n }, market, 'gasPrice must be non-zero after london fork'],
    [{ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }, market, 'maxFeePerGas must be non-zero'],
    [
      { maxFeePerGas: 15n, maxPriorityFeePerGas: 16n },
      market,
      'maxFeePerGas (0xf) < maxPriorityFeePerGas (0x10)',
    ],
    [
      { maxFeePerGas: 6n },
      frontier,
      'maxFeePerGas and maxPriorityFeePerGas are not valid before London is active',
    ],
    [{ maxFeePerGas: 0n, maxPriorityFeePerGas: 1n }, frontier, 'maxFeePerGas must be non-zero'],
    [{ maxFeePerBlobGas: 0n }, market, 'maxFeePerBlobGas, if specified, must be non-zero'],
  ])('rejects %s', (call, given, words) => {
    expect(() => feeDefaults(call, given)).toThrow(new ChainError(words))
  })
})

describe('accessListFees', () => {
  const header = { ...testHeader, baseFeePerGas: 100n }
  const fees = (call: CallObject) => accessListFees(call, header, { blobBaseFee: 1n, suggestedTip: 3n })

  it('requires both fees of EIP-1559 or none', () => {
    const words = 'maxFeePerGas and maxPriorityFeePerGas must be given together'
    for (const call of [{ maxFeePerGas: 1n }, { maxPriorityFeePerGas: 1n }]) {
      expect(() => fees(call)).toThrow(new InvalidCallError(words))
    }
    expect(fees({ maxFeePerGas: 2n, maxPriorityFeePerGas: 1n })).toMatchObject({ maxFeePerGas: 2n })
    expect(fees({ gasPrice: 0n })).toEqual({ gasPrice: 0n })
    expect(() => fees({ gasPrice: 0n, maxFeePerBlobGas: 0n })).toThrow('must be non-zero')
  })

  it('uses the suggested tip if only the blob fee cap is given', () => {
    const given = { maxFeePerBlobGas: 5n, blobVersionedHashes: [new Uint8Array(32)] }
    expect(fees(given)).toEqual({ ...given, maxFeePerGas: 203n, maxPriorityFeePerGas: 3n })
  })

  it('rejects a gas price with authorizations, and a cap below the tip', () => {
    for (const gasPrice of [0n, 1n]) {
      expect(() => fees({ gasPrice, authorizationList: [] })).toThrow(
        new ChainError('both gasPrice and authorizationList specified'),
      )
    }
    expect(() => fees({ maxFeePerGas: 1n, maxPriorityFeePerGas: 2n })).toThrow(
      new ChainError('maxFeePerGas (0x1) < maxPriorityFeePerGas (0x2)'),
    )
  })
})
