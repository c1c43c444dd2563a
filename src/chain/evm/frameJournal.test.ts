import { Address } from '@ethereumjs/util'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestSite } from '../../../test/support/callSite.js'
import { bigintToBytes, hexToBytes } from '../../encoding/hex.js'
import { EMPTY_CODE_HASH, slotKeyOf } from '../state/account.js'
import { loaded } from './frameEnvironment.js'
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
  it('reports whether a slot was warm, and warms its account too', () => {
    expect(journal.warmSlot(address, slotKeyOf(slot))).toBe(false)
    expect(journal.warmSlot(address, slotKeyOf(slot))).toBe(true)
    expect(journal.isWarmedStorage(address, slot)).toBe(true)
    expect(journal.warmAddress(address)).toBe(true)
    expect(journal.isWarmedStorage(other, slot)).toBe(false)
    expect(journal.warmAddress(other)).toBe(false)
  })

  it('reverts only what a frame made warm', () => {
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

  it('keeps nothing of earlier transactions, however many', () => {
    for (let transaction = 0; transaction < 2_000; transaction++) {
      expect(journal.warmSlot(address, slotKeyOf(slot))).toBe(false)
      expect(journal.isWarmedAddress(address)).toBe(true)
      expect(journal.warmSlot(address, slotKeyOf(slot))).toBe(true)
      expect(journal.warmAddress(other)).toBe(false)
      journal.cleanJournal()
      expect(journal.isWarmedAddress(other)).toBe(false)
    }
  })

  it('removes touched empty accounts, RIPEMD-160 even if reverted (EIP-716)', async () => {
    const { state, rules } = await createTestSite()
    const ripemd = Uint8Array.from({ length: 20 }, (_, index) => (index === 19 ? 3 : 0))
    const own = new FrameJournal({ state, common: rules }, [])
    const touched = [address, other, ripemd, new Uint8Array(20).fill(0xc2)]
    const empty = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }
    for (const bytes of touched) await state.writeAccount(bytes, empty)
    own.touchAddress(new Address(address))
    void own.checkpoint()
    void own.checkpoint()
    own.touchAddress(new Address(other))
    own.touchAddress(new Address(ripemd))
    void own.revert()
    void own.revert()
    await own.cleanup()
    const left = touched.map((bytes) => loaded(state.readAccount(bytes)))
    expect(left.map((account) => account !== undefined)).toEqual([false, true, false, true])
    await state.writeAccount(address, empty)
    await own.cleanup()
    expect(loaded(state.readAccount(address))).toEqual(empty)
  })

  it('removes the empty ones of thousands of touched accounts', async () => {
    const { state, rules } = await createTestSite()
    const own = new FrameJournal({ state, common: rules }, [])
    const touched = Array.from({ length: 10_000 }, (_, index) => bigintToBytes(BigInt(index + 1000), 20))
    for (const [index, bytes] of touched.entries()) {
      await state.writeAccount(bytes, { nonce: BigInt(index % 3), balance: 0n, codeHash: EMPTY_CODE_HASH })
      own.touchAddress(new Address(bytes))
    }
    await own.cleanup()
    const left = touched.map((bytes) => loaded(state.readAccount(bytes)) !== undefined)
    expect(left).toEqual(touched.map((_, index) => index % 3 > 0))
    expect(own.warmAddress(address)).toBe(false)
  })

  it('forgets everything when a transaction ends, including its warm precompiles', () => {
    const precompile = hexToBytes('0x0000000000000000000000000000000000000004')
    journal.warmPrecompiles()
    expect(journal.isWarmedAddress(precompile)).toBe(true)
    journal.addAlwaysWarmSlot('c0'.repeat(20), '07'.repeat(32))
    expect(journal.isWarmedStorage(address, slot)).toBe(true)
    journal.cleanJournal()
    expect(journal.isWarmedStorage(address, slot)).toBe(false)
    expect(journal.isWarmedAddress(address)).toBe(false)
    expect(journal.isWarmedAddress(precompile)).toBe(false)
  })
})
