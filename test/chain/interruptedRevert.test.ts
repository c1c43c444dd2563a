import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Hex } from 'viem'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Chain } from '../../src/chain/chain.js'
import { startDevnet, stopAll } from '../devnet/support.js'

let dataDir: string
let killed: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'standin-revert-'))
  killed = mkdtempSync(join(tmpdir(), 'standin-revert-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await stopAll()
  for (const directory of [dataDir, killed]) rmSync(directory, { recursive: true, force: true })
})

/** Copies the data as a kill would leave it. */
function copyTo(directory: string): void {
  cpSync(dataDir, directory, { recursive: true, filter: (path) => !/^lock/i.test(basename(path)) })
}

/** Calls `look` when a revert has moved the head but not finished. */
function onceMoved(look: () => void | Promise<void>): void {
  const { commitProgress } = Chain.prototype
  vi.spyOn(Chain.prototype, 'commitProgress').mockImplementation(async function (this: Chain) {
    await look()
    return commitProgress.call(this)
  })
}

test('a node killed during a revert has a chain and pending transactions of the same time', async () => {
  const { call, from, to } = await startDevnet({ dataDir, noMining: true })
  const someone: Hex = `0x${'51'.repeat(20)}`
  await call('anvil_setBalance', someone, '0xde0b6b3a7640000')
  await call('anvil_impersonateAccount', someone)
  const send = (sender: Hex) => call<Hex>('eth_sendTransaction', { from: sender, to, value: '0x1' })
  const waiting = [await send(from), await send(someone)]
  const snapshot = await call<Hex>('evm_snapshot')
  await call('evm_mine')
  await send(from)
  onceMoved(() => copyTo(killed))
  expect(await call('evm_revert', snapshot)).toBe(true)
  vi.restoreAllMocks()

  const again = await startDevnet({ dataDir: killed, noMining: true })
  expect(await again.height()).toBe(0)
  const found = await again.call<{ hash: Hex }[]>('eth_pendingTransactions')
  expect(found.map(({ hash }) => hash).sort()).toEqual(waiting.sort())
})

test('a node killed after a revert has the pending transactions of the snapshot, less those dropped since', async () => {
  const { call, from, to } = await startDevnet({ dataDir, noMining: true })
  const send = (value: Hex) => call<Hex>('eth_sendTransaction', { from, to, value })
  const [kept, dropped] = [await send('0x1'), await send('0x1')]
  const snapshot = await call<Hex>('evm_snapshot')
  await call('anvil_dropTransaction', dropped)
  await send('0x2')
  expect(await call('evm_revert', snapshot)).toBe(true)
  const [reverted, later] = [join(killed, 'reverted'), join(killed, 'later')]
  copyTo(reverted)
  await call('anvil_dropTransaction', dropped)
  copyTo(later)

  const waitingIn = async (directory: string): Promise<Hex[]> => {
    const again = await startDevnet({ dataDir: directory, noMining: true })
    const found = await again.call<{ hash: Hex }[]>('eth_pendingTransactions')
    return found.map(({ hash }) => hash).sort()
  }
  expect(await waitingIn(reverted)).toEqual([kept, dropped].sort())
  expect(await waitingIn(later)).toEqual([kept])
})

test('snapshots consumed by a revert are not listed during it', async () => {
  const { call } = await startDevnet({ compat: 'anvil' })
  const [first, second] = [await call<Hex>('evm_snapshot'), await call<Hex>('evm_snapshot')]
  const listed: unknown[] = []
  onceMoved(async () => void listed.push(await call('anvil_metadata')))
  expect(await call('evm_revert', second)).toBe(true)
  expect(listed).toMatchObject([{ snapshots: { [first]: [0, expect.any(String)] } }])
})

test.each(['the same process', 'a new process'])(
  'a revert in %s restores the pending transactions that snapshots share',
  async (where) => {
    const first = await startDevnet({ dataDir, noMining: true })
    const { from, to } = first
    const pending = async (): Promise<Hex[]> => {
      const found = await devnet.call<{ hash: Hex; nonce: Hex }[]>('eth_pendingTransactions')
      return found.sort((a, b) => Number(a.nonce) - Number(b.nonce)).map(({ hash }) => hash)
    }
    const send = (nonce: number, gasPrice = 10n ** 10n) =>
      first.call<Hex>('eth_sendTransaction', {
        from,
        to,
        nonce: `0x${nonce.toString(16)}`,
        gasPrice: `0x${gasPrice.toString(16)}`,
      })
    let devnet = first
    const taken: { snapshot: Hex; waiting: Hex[] }[] = []
    const takeTwo = async (): Promise<void> => {
      for (let i = 0; i < 2; i++) {
        taken.push({ snapshot: await first.call<Hex>('evm_snapshot'), waiting: await pending() })
      }
    }
    await takeTwo()
    for (const nonce of [0, 1, 2]) {
      await send(nonce)
      await takeTwo()
    }
    // Replaces a transaction, so that later snapshots share no more than the one before it.
    await send(1, 10n ** 11n)
    await takeTwo()
    await send(3)
    await takeTwo()
    await first.call('anvil_dropAllTransactions')
    await takeTwo()
    if (where === 'a new process') {
      await stopAll()
      devnet = await startDevnet({ dataDir, noMining: true })
    }
    for (const { snapshot, waiting } of taken.reverse()) {
      expect(await devnet.call('evm_revert', snapshot)).toBe(true)
      expect(await pending()).toEqual(waiting)
    }
  },
)
