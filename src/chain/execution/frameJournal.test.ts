import { beforeEach, describe, expect, it } from 'vitest'
import { createTestSite } from '../../../test/support/callSite.js'
import { slotKeyOf } from '../state/slotKey.js'
import { FrameJournal } from './frameJournal.js'

const address = new Uint8Array(20).fill(0xc0)
const other = new Uint8Array(20).fill(0xc1)
const slot = new Uint8Array(32).fill(7)
let journal: FrameJournal

beforeEach(async () => {
  const { state, rules } = await createTestSite()
  journal = new FrameJournal({ state, common: rules }, ['0000000000000000000000000000000000000004'])
})

describe('FrameJournal', () => {
  it('says whether a slot was warm, and makes its account warm with it', () => {
    expect(journal.warmSlot(address, slotKeyOf(slot))).toBe(false)
    expect(journal.warmSlot(address, slotKeyOf(slot))).toBe(true)
    expect(journal.isWarmedStorage(address, slot)).toBe(true)
    expect(journal.warmAddress(address)).toBe(true)
    expect(journal.isWarmedStorage(other, slot)).toBe(false)
    expect(journal.warmAddress(other)).toBe(false)
  })

  it('takes back what a reverted frame made warm, and nothing else', () => {
    journal.warmSlot(address, slotKeyOf(slot))
    void journal.checkpoint()
    journal.warmSlot(other, slotKeyOf(slot))
    journal.warmSlot(address, slotKeyOf(new Uint8Array(32)))
    void journal.checkpoint()
    journal.warmAddress(new Uint8Array(20))
    void journal.commit()
    void journal.revert()
    expect(journal.isWarmedStorage(address, slot)).toBe(true)
    expect(journal.isWarmedStorage(address, new Uint8Array(32))).toBe(false)
    expect(journal.isWarmedStorage(other, slot)).toBe(false)
    expect(journal.isWarmedAddress(other)).toBe(false)
    expect(journal.isWarmedAddress(new Uint8Array(20))).toBe(false)
  })

  it('forgets everything but what is always warm', () => {
    journal.addAlwaysWarmSlot('c0'.repeat(20), '07'.repeat(32))
    expect(journal.isWarmedStorage(address, slot)).toBe(true)
    journal.cleanJournal()
    expect(journal.isWarmedStorage(address, slot)).toBe(false)
    expect(journal.isWarmedAddress(address)).toBe(false)
    expect(journal.warmAddress(Uint8Array.from({ length: 20 }, (_, at) => (at === 19 ? 4 : 0)))).toBe(true)
  })
})
