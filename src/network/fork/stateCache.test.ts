import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StateCache } from './stateCache.js'

const address = new Uint8Array(20).fill(1)
const slot = new Uint8Array(32).fill(2)
const account = { nonce: 3n, balance: 4n, code: Uint8Array.of(5) }

test('fetched state survives a restart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'standin-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'chain', 'state.ndjson')
  const first = await StateCache.open(path)
  first.putAccount(address, account)
  first.putSlot(address, slot, Uint8Array.of(6))
  first.close()
  // A line torn by a killed process.
  appendFileSync(path, '["slot","0x01')
  const second = await StateCache.open(path)
  expect(second.account(address)).toEqual(account)
  expect(second.slot(address, slot)).toEqual(Uint8Array.of(6))
  second.close()
})

test('memory holds the code that was used last', async () => {
  const cache = await StateCache.open()
  const code = new Uint8Array(1024 * 1024)
  const addressOf = (index: number) => new Uint8Array(20).fill(index)
  for (let index = 0; index < 200; index++) {
    cache.putAccount(addressOf(index), { ...account, code })
    cache.account(addressOf(0))
  }
  const held = Array.from({ length: 200 }, (_, index) => cache.hasAccount(addressOf(index)))
  expect(held.filter(Boolean).length).toBeLessThanOrEqual(128)
  expect([held[0], held[1], held[199]]).toEqual([true, false, true])
})
