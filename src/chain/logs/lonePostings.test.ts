import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { LonePostings } from './lonePostings.js'
import type { LogCriterion, TopicPosition } from './rows.js'

const topicOf = (value: number, position: TopicPosition = 0): LogCriterion => ({
  kind: 'topic',
  position,
  topic: createHash('sha256').update(`topic ${value}`).digest(),
})
/** A topic that is a number: most of its bytes are zero. */
const numberOf = (value: number): LogCriterion => ({
  kind: 'topic',
  position: 1,
  topic: Buffer.from(value.toString(16).padStart(64, '0'), 'hex'),
})

describe('lone postings', () => {
  it('are the blocks of values that are in one alone', () => {
    const lone = new LonePostings()
    const address: LogCriterion = { kind: 'address', address: new Uint8Array(20).fill(7) }
    expect(lone.find(address)).toBe('none')
    lone.add(address, 0)
    expect(lone.find(address)).toBe(0)
    lone.add(address, 0)
    expect(lone.find(address)).toBe(0)
    lone.add(address, 3)
    expect(lone.find(address)).toBeUndefined()
    lone.add(topicOf(1, 2), 5)
    expect(lone.find(topicOf(1, 2))).toBe(5)
    expect(lone.find(topicOf(1, 1))).toBe('none')
  })

  it('tell nothing of blocks whose ordinals they cannot hold, nor of any log', () => {
    const lone = new LonePostings()
    lone.add(topicOf(1), 2 ** 32 - 3)
    expect(lone.find(topicOf(1))).toBe(2 ** 32 - 3)
    lone.add(topicOf(2), 2 ** 32 - 2)
    lone.add(topicOf(3), 2 ** 47)
    lone.add({ kind: 'any' }, 0)
    for (const criterion of [topicOf(2), topicOf(3), { kind: 'any' } as const]) {
      expect(lone.find(criterion)).toBeUndefined()
    }
  })

  it.each([
    ['hashes', topicOf],
    ['small numbers', numberOf],
  ])('are known of nearly all of twenty thousand %s', (_, criterionOf) => {
    const lone = new LonePostings()
    const values = Array.from({ length: 20_000 }, (_, value) => value)
    for (const value of values) lone.add(criterionOf(value), 2 * value)
    const known = values.map((value) => lone.find(criterionOf(value)))
    expect(known.every((found, value) => found === 2 * value || found === undefined)).toBe(true)
    // 0.61 values a group on average: one has more than four with a chance of 0.0004, which concerns some 60 values.
    expect(known.filter((found) => found === undefined).length).toBeLessThan(200)
    expect(lone.find(criterionOf(20_001))).toBe('none')
  })

  it('are never wrong, however many values there are', () => {
    const lone = new LonePostings()
    const values = Array.from({ length: 300_000 }, (_, value) => value)
    for (const value of values) lone.add(numberOf(value), value)
    for (const value of values) {
      const found = lone.find(numberOf(value))
      if (found !== undefined) expect(found).toBe(value)
    }
  })
})
