import { describe, expect, it } from 'vitest'
import { testHeader } from '../../../../test/support/callSite.js'
import type { SimulatedBlockOverrides } from './request.js'
import { placeBlocks } from './sequence.js'

const base = { ...testHeader, number: 100n, timestamp: 1_000n }

function place(...overrides: SimulatedBlockOverrides[]): [bigint, bigint][] {
  const blocks = overrides.map((own) => ({ overrides: own, stateOverrides: [], calls: [] }))
  return placeBlocks(base, blocks, { fillsGaps: true }).map(({ number, timestamp }) => [number, timestamp])
}

describe('placeBlocks', () => {
  it('gives each block the next number, twelve seconds later', () => {
    expect(place({}, {})).toEqual([
      [101n, 1_012n],
      [102n, 1_024n],
    ])
  })

  it('fills what is left out, and goes on from what is given', () => {
    expect(place({ number: 103n, time: 5_000n }, {})).toEqual([
      [101n, 1_012n],
      [102n, 1_024n],
      [103n, 5_000n],
      [104n, 5_012n],
    ])
  })

  it('leaves out what is left out where gaps are not filled, however far they go', () => {
    const blocks = [{ number: 103n }, { number: 2_000_000n }].map((overrides) => ({
      overrides,
      stateOverrides: [],
      calls: [],
    }))
    const placed = placeBlocks(base, blocks, { fillsGaps: false })
    expect(placed.map(({ number, timestamp }) => [number, timestamp])).toEqual([
      [103n, 1_012n],
      [2_000_000n, 1_024n],
    ])
  })

  it('refuses a time that the blocks of a gap have passed', () => {
    expect(() => place({ number: 103n, time: 1_024n })).toThrow(
      'block timestamps must be in order: 1024 <= 1024',
    )
  })

  it('refuses numbers that do not rise, and a number too far ahead', () => {
    expect(() => place({ number: 102n }, { number: 102n })).toThrow(
      'block numbers must be in order: 102 <= 102',
    )
    expect(() => place({ number: 357n })).toThrow('too many blocks')
    expect(place({ number: 356n })).toHaveLength(256)
  })
})
