import { createLegacyTx } from '@ethereumjs/tx'
import { describe, expect, it } from 'vitest'
import { randomNumbers } from '../../../test/torture/settings.js'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { createRules } from '../evm/forkSchedule.js'
import { type Entry, SenderQueue } from './senderQueue.js'

const common = createRules({ chainId: 31337n, hardfork: 'osaka' })
const sender = new Uint8Array(20).fill(1)

function entryOf(nonce: number, cost = 1n): Entry {
  const transaction = createLegacyTx({ nonce, gasLimit: 21_000n, to: `0x${'00'.repeat(20)}` }, { common })
  return { transaction, hash: sender, sender, impersonated: false, arrival: nonce, cost, size: 100 }
}

function noncesOf(entries: readonly Entry[]): number[] {
  return entries.map(({ transaction }) => Number(transaction.nonce))
}

describe('SenderQueue', () => {
  it('tells pending from queued like a count of all, wherever the account goes', () => {
    const random = randomNumbers(1)
    const upTo = (limit: number) => Math.floor(random() * limit)
    let queue = new SenderQueue(sender, { nonce: 0n, balance: 0n })
    const costs = new Map<number, bigint>()
    for (let step = 0, account = 0; step < 3000; step++) {
      const kind = upTo(9)
      if (kind < 5) {
        const nonce = account + upTo(12)
        const cost = BigInt(upTo(1000))
        queue.put(entryOf(nonce, cost))
        costs.set(nonce, cost)
      } else if (kind < 7) {
        account = Math.max(0, account + upTo(7) - 2)
        const passed = [...costs.keys()].filter((nonce) => nonce < account).sort((a, b) => a - b)
        expect(noncesOf(queue.follow({ nonce: BigInt(account), balance: 0n }))).toEqual(passed)
        for (const nonce of passed) costs.delete(nonce)
      } else if (kind === 7 && queue.entries.length > 0) {
        const entry = queue.entries[upTo(queue.entries.length)]!
        queue.remove(entry)
        costs.delete(Number(entry.transaction.nonce))
      } else {
        const limit = BigInt(500 + upTo(500))
        runToCompletion(queue.retain(({ cost }) => cost <= limit))
        for (const [nonce, cost] of costs) if (cost > limit) costs.delete(nonce)
      }
      // The original must not follow the changes of its copy.
      const original = queue
      const before = noncesOf(original.entries)
      if (upTo(10) === 0) {
        queue = queue.copy()
        queue.put(entryOf(account, 1n))
        costs.set(account, 1n)
        expect(noncesOf(original.entries)).toEqual(before)
      }
      const nonces = [...costs.keys()].sort((a, b) => a - b)
      const pending = nonces.filter((nonce, index) => nonce === account + index)
      expect(noncesOf(queue.pending)).toEqual(pending)
      expect(noncesOf(queue.queued)).toEqual(nonces.slice(pending.length))
      if (upTo(3) === 0) continue
      expect(queue.pendingCost).toBe(pending.reduce((sum, nonce) => sum + (costs.get(nonce) ?? 0n), 0n))
      for (const cost of costs.values()) expect(cost).toBeLessThanOrEqual(queue.maximumCost)
    }
  })

  it('looks at few of many transactions when the account passes one', () => {
    let reads = 0
    const queue = new SenderQueue(sender, { nonce: 0n, balance: 0n })
    for (let nonce = 0; nonce < 1000; nonce++) {
      const { cost, transaction, ...rest } = entryOf(nonce)
      const counted = Object.defineProperties(rest, {
        cost: { get: () => (reads++, cost) },
        transaction: { get: () => (reads++, transaction) },
      })
      queue.put(counted as Entry)
    }
    expect(queue.pendingCost).toBe(1000n)
    reads = 0
    for (let nonce = 1n; nonce <= 100n; nonce++) {
      queue.follow({ nonce, balance: 0n })
      expect(queue.pendingCost).toBe(1000n - nonce)
    }
    expect(queue.pendingSize).toBe(900)
    expect(reads).toBeGreaterThan(100)
    expect(reads).toBeLessThan(100 * 50)
  })

  it('knows the cost of what is left when the account passes thousands', () => {
    const queue = new SenderQueue(sender, { nonce: 0n, balance: 0n })
    for (let nonce = 0; nonce < 6000; nonce++) queue.put(entryOf(nonce, BigInt(nonce)))
    expect(queue.pendingCost).toBe(17_997_000n)
    expect(queue.follow({ nonce: 5998n, balance: 0n })).toHaveLength(5998)
    expect(queue.pendingCost).toBe(5998n + 5999n)
  })
})
