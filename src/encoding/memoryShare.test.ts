import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { MemoryShare } from './memoryShare.js'

const MEBIBYTE = 1024 * 1024
const shares: MemoryShare[] = []
afterEach(() => shares.splice(0).forEach((share) => share.end()))

function createShare(): MemoryShare {
  const share = new MemoryShare()
  shares.push(share)
  return share
}

/** Waits until granted claims, which continue in turns of their own, have done so. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await nextTurn()
}

/** Claims megabytes. @returns whether the claim has been granted, also later */
function claim(share: MemoryShare, mebibytes: number): { granted: boolean } {
  const waiting = share.claim(mebibytes * MEBIBYTE)
  const state = { granted: waiting === undefined }
  void waiting?.then(() => (state.granted = true))
  return state
}

it('lets small requests pass, and others wait in order until there is room', async () => {
  const first = createShare()
  const second = createShare()
  expect(claim(first, 200).granted).toBe(true)
  const waiting = claim(second, 100)
  const behind = claim(createShare(), 200)
  expect(waiting.granted).toBe(false)
  expect(claim(createShare(), 1).granted).toBe(true)
  first.end()
  await settle()
  expect([waiting.granted, behind.granted]).toEqual([true, false])
  second.end()
  await settle()
  expect(behind.granted).toBe(true)
})

it('claims only what is not granted yet', () => {
  const share = createShare()
  expect(claim(share, 200).granted).toBe(true)
  expect(claim(share, 200).granted).toBe(true)
  expect(claim(createShare(), 50).granted).toBe(true)
})

it('counts bytes that are kept', () => {
  const share = createShare()
  share.keep(250 * MEBIBYTE)
  expect(claim(share, 0).granted).toBe(true)
  expect(claim(createShare(), 20).granted).toBe(false)
})

it('never lets the oldest holder wait, and serves holders first', async () => {
  const oldest = createShare()
  const holder = createShare()
  expect(claim(oldest, 100).granted).toBe(true)
  expect(claim(holder, 100).granted).toBe(true)
  expect(claim(oldest, 600).granted).toBe(true)
  const newcomer = claim(createShare(), 200)
  const growing = claim(holder, 240)
  expect([newcomer.granted, growing.granted]).toEqual([false, false])
  oldest.end()
  await settle()
  expect([newcomer.granted, growing.granted]).toEqual([false, true])
})

it('grants a claim after a while although its holder may wait for it', async () => {
  expect(claim(createShare(), 256).granted).toBe(true)
  await createShare().claim(100 * MEBIBYTE)
})

it('counts what a request is about to hold, beyond a free megabyte', async () => {
  const holder = createShare()
  expect(claim(holder, 257).granted).toBe(true)
  const share = createShare()
  expect(share.hold(MEBIBYTE / 2)).toBeUndefined()
  expect(share.hold(MEBIBYTE / 2)).toBeUndefined()
  const waiting = share.hold(MEBIBYTE / 2)
  expect(waiting).toBeInstanceOf(Promise)
  holder.end()
  await waiting
})
