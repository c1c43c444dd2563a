import { describe, expect, it } from 'vitest'
import { testHeader } from '../../../../test/support/callSite.js'
import type { SimulatedBlockOverrides } from './request.js'
import { sequenceBlocks } from './sequence.js'

const base = { ...testHeader, number: 100n, timestamp: 1_000n }

function place(...overrides: SimulatedBlockOverrides[]): [bigint, bigint][] {
  const blocks = overrides.map((own) => ({ overrides: own, stateOverrides: [], calls: [] }))
  return sequenceBlocks(base, blocks, { fillsGaps: true }).map(({ number, timestamp }) => [number, timestamp])
}

describe('sequenceBlocks', () => {
  it('gives each block the next number, twelve seconds after the previous one', () => {
    expect(place({}, {})).toEqual([
      [101n, 1_012n],
      [102n, 1_024n],
    ])
  })

  it('overflows the time of 64 bits like geth, unless it is given', () => {
    const last = 2n ** 64n - 1n
    expect(place({ time: last }, {})).toEqual([
      [101n, last],
      [102n, 11n],
    ])
    expect(() => place({ time: last }, { time: 11n })).toThrow(
      `block timestamps must be in order: 11 <= ${last}`,
    )
  })

  it('fills gaps, and continues from given numbers and times', () => {
    expect(place({ number: 103n, time: 5_000n }, {})).toEqual([
      [101n, 1_012n],
      [102n, 1_024n],
      [103n, 5_000n],
      [104n, 5_012n],
    ])
  })

  it('leaves gaps of any size if they are not to be filled', () => {
    const blocks = [{ number: 103n }, { number: 2_000_000n }].map((overrides) => ({
      overrides,
      stateOverrides: [],
      calls: [],
    }))
    const placed = sequenceBlocks(base, blocks, { fillsGaps: false })
    expect(placed.map(({ number, timestamp }) => [number, timestamp])).toEqual([
      [103n, 1_012n],
      [2_000_000n, 1_024n],
    ])
  })

  it('rejects a time before that of the blocks filling a gap', () => {
    expect(() => place({ number: 103n, time: 1_024n })).toThrow(
      'block timestamps must be in order: 1024 <= 1024',
    )
  })

  it('rejects numbers that do not increase, and a number too far ahead', () => {
    expect(() => place({ number: 102n }, { number: 102n })).toThrow(
      'block numbers must be in order: 102 <= 102',
    )
    expect(() => place({ number: 357n })).toThrow('too many blocks')
    expect(place({ number: 356n })).toHaveLength(256)
  })
})
