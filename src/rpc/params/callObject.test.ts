import { describe, expect, it } from 'vitest'
import { blockOverrides } from './callObject.js'
import { DecodeError } from './combinators.js'

describe('invalid block overrides', () => {
  // Messages of geth 1.17.10 for the third argument of eth_call.
  it.each([
    [
      {
        withdrawals: [{ address: '0x00000961ef480eb55e80d19ad83579a64c007002' }, '0x1 ', { amount: [null] }],
      },
      'json: cannot unmarshal string into Go struct field BlockOverrides.Withdrawals of type types.Withdrawal',
    ],
    [
      { withdrawals: [{ address: ['0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'] }] },
      'json: cannot unmarshal non-string into Go struct field BlockOverrides.Withdrawals.address of type common.Address',
    ],
  ])('%j', (value, words) => {
    let error: unknown
    try {
      blockOverrides.decode(value)
    } catch (thrown) {
      error = thrown
    }
    expect(error instanceof DecodeError && error.describe()).toBe(words)
  })
})
