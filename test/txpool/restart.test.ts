import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet, stopDevnet } from '../devnet/support.js'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'standin-pool-order-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const start = () => startDevnet({ dataDir, noMining: true })

/** Sends a transaction of each account, with equal fees. @returns their hashes */
async function sendFromAll({ call }: Devnet): Promise<Hex[]> {
  return sendFrom({ call }, await call<Hex[]>('eth_accounts'))
}

async function sendFrom({ call }: Pick<Devnet, 'call'>, accounts: readonly Hex[]): Promise<Hex[]> {
  const hashes: Hex[] = []
  for (const from of accounts) {
    const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
    hashes.push(await call<Hex>('eth_sendTransaction', { from, to: from, gas: '0x5208', ...fees }))
  }
  return hashes
}

test('transactions with equal fees are mined in order of arrival, also after a restart and a revert', async () => {
  const first = await start()
  const sent = await sendFromAll(first)
  const snapshot = await first.call<Hex>('evm_snapshot')
  await stopDevnet(first)

  const second = await start()
  await second.call('evm_mine')
  expect((await second.block()).transactions).toEqual(sent)
  await second.call('evm_revert', snapshot)
  await stopDevnet(second)

  const third = await start()
  const later = await third.call<Hex>('eth_sendTransaction', {
    ...{ from: third.from, to: third.to, gas: '0x5208' },
    ...{ nonce: '0x1', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' },
  })
  await stopDevnet(third)

  const fourth = await start()
  await fourth.call('evm_mine')
  expect((await fourth.block()).transactions).toEqual([...sent, later])
  await stopDevnet(fourth)
})

test('transactions that two snapshots share precede those of the later one, also after a revert and a restart', async () => {
  const open = () => startDevnet({ dataDir: join(dataDir, 'shared-pool'), noMining: true })
  const first = await open()
  const accounts = await first.call<Hex[]>('eth_accounts')
  const earlier = await sendFrom(first, accounts.slice(0, 5))
  await first.call('evm_snapshot')
  const later = await sendFrom(first, accounts.slice(5))
  const snapshot = await first.call<Hex>('evm_snapshot')
  await first.call('anvil_dropAllTransactions')
  await first.call('evm_revert', snapshot)
  await stopDevnet(first)

  const second = await open()
  await second.call('evm_mine')
  expect((await second.block()).transactions).toEqual([...earlier, ...later])
  await stopDevnet(second)
})

test('snapshots of the same mempool each bring it back, also after a restart', async () => {
  const directory = join(dataDir, 'same-pool')
  const open = () => startDevnet({ dataDir: directory, noMining: true })
  const pool = ({ call }: Devnet) => call<{ pending: Hex; queued: Hex }>('txpool_status')
  const take = ({ call }: Devnet) => call<Hex>('evm_snapshot')
  const first = await open()
  await sendFromAll(first)
  const removed = await take(first)
  await take(first)
  await first.call('evm_revert', removed)
  const again = await take(first)
  const same = await take(first)
  await first.call('eth_sendTransaction', { from: first.from, to: first.to, gas: '0x5208' })
  const larger = await take(first)
  await first.call('anvil_dropAllTransactions')
  const empty = await take(first)
  const last = await take(first)
  await stopDevnet(first)

  const expected = { [again]: '0xa', [same]: '0xa', [larger]: '0xb', [empty]: '0x0', [last]: '0x0' }
  for (const snapshot of [last, empty, larger, same, again]) {
    const node = await open()
    await node.call('evm_mine')
    expect(await node.call('evm_revert', snapshot)).toBe(true)
    expect(await pool(node)).toEqual({ pending: expected[snapshot], queued: '0x0' })
    await stopDevnet(node)
  }
})

test('a transaction that a lower gas limit has dropped does not come back with a higher one', async () => {
  const directory = join(dataDir, 'gas-limit')
  const first = await startDevnet({ dataDir: directory, noMining: true })
  const { call, from, to } = first
  const hash = await call<Hex>('eth_sendTransaction', { from, to, gas: '0x5209' })
  await call('evm_setBlockGasLimit', '0x5208')
  expect(await call('eth_getTransactionByHash', hash)).toBeNull()
  await call('evm_setBlockGasLimit', '0x1c9c380')
  await stopDevnet(first)

  const second = await startDevnet({ dataDir: directory, noMining: true })
  expect(await second.call('eth_getTransactionByHash', hash)).toBeNull()
  await stopDevnet(second)
})

test.each(['anvil', 'hardhat'] as const)('what %s accepted waits after a restart too', async (compat) => {
  const directory = join(dataDir, compat)
  const first = await startDevnet({ dataDir: directory, compat, noMining: true })
  const { call, from, to } = first
  const send = (fields: object) => call<Hex>('eth_sendTransaction', { from, to, gas: '0x5208', ...fields })
  const [cheap, dear] = ['0x4a817c800', '0x9502f9000']
  await send({ nonce: '0x0', maxFeePerGas: cheap, maxPriorityFeePerGas: cheap })
  const replacement = await send({ nonce: '0x0', maxFeePerGas: dear, maxPriorityFeePerGas: dear })
  const afterGap = await send({ nonce: '0x5', maxFeePerGas: '0x3b9aca00', maxPriorityFeePerGas: '0x0' })
  await call('hardhat_setNextBlockBaseFeePerGas', cheap)
  await call('evm_mine')
  const isWaiting = async ({ call }: Devnet, hash: Hex) =>
    (await call<{ blockNumber: Hex | null } | null>('eth_getTransactionByHash', hash))?.blockNumber === null
  expect(await isWaiting(first, replacement)).toBe(false)
  expect(await isWaiting(first, afterGap)).toBe(true)
  await stopDevnet(first)

  // Automine would refuse the nonce and the fee now.
  const second = await startDevnet({ dataDir: directory, compat })
  expect(await isWaiting(second, afterGap)).toBe(true)
  await stopDevnet(second)
})

/** Signs a transaction of the first account with a blob of zeros, whose commitment and proof are the point at infinity. */
async function blobTransaction({ node, to }: Devnet): Promise<Hex> {
  const infinity: Hex = `0xc0${'00'.repeat(47)}`
  const digest = createHash('sha256')
    .update(Buffer.from(infinity.slice(2), 'hex'))
    .digest('hex')
  return privateKeyToAccount(node.accounts[0]?.privateKey as Hex).signTransaction({
    ...{ type: 'eip4844', chainId: 31337, nonce: 1, to, gas: 21_000n },
    ...{ maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n, maxFeePerBlobGas: 10n ** 9n },
    blobVersionedHashes: [`0x01${digest.slice(2)}`],
    sidecars: [{ blob: `0x${'00'.repeat(131_072)}`, commitment: infinity, proof: infinity }],
  })
}

test('blob transactions wait after others in the profile of anvil, also after a restart', async () => {
  const directory = join(dataDir, 'blobs')
  const first = await startDevnet({ dataDir: directory, compat: 'anvil', noMining: true })
  await first.call('eth_sendTransaction', { from: first.from, to: first.to, gas: '0x5208' })
  const raw = await blobTransaction(first)
  const hash = await first.call<Hex>('eth_sendRawTransaction', raw)
  await stopDevnet(first)

  const second = await startDevnet({ dataDir: directory, compat: 'anvil', noMining: true })
  expect(await second.call('eth_getTransactionByHash', hash)).toMatchObject({ nonce: '0x1' })
  await stopDevnet(second)
})

test('what anvil keeps although no block can take it waits after a restart too', async () => {
  const directory = join(dataDir, 'kept')
  const first = await startDevnet({ dataDir: directory, compat: 'anvil', noMining: true })
  const [from, large, poor] = await first.call<Hex[]>('eth_accounts')
  const send = (sender: Hex | undefined, gas: Hex) =>
    first.call<Hex>('eth_sendTransaction', { from: sender, to: from, gas })
  const hashes = [await send(large, '0x5209'), await send(poor, '0x5208')]
  await first.call('evm_setBlockGasLimit', '0x5208')
  await first.call('anvil_setBalance', poor, '0x1')
  await stopDevnet(first)

  const second = await startDevnet({ dataDir: directory, compat: 'anvil', noMining: true })
  const content = await second.call<{ pending: Record<Hex, Record<string, { hash: Hex }>> }>('txpool_content')
  const waiting = Object.values(content.pending).flatMap((byNonce) => Object.values(byNonce))
  expect(waiting.map(({ hash }) => hash).sort()).toEqual(hashes.sort())
  await stopDevnet(second)
})

test('a large block that a reorganisation removes is pending again, also after a restart', async () => {
  const open = () => startDevnet({ dataDir: join(dataDir, 'large-block'), noMining: true })
  const count = 5000
  const first = await open()
  await first.call('evm_setBlockGasLimit', '0x10000000')
  const hashes: Hex[] = []
  for (let nonce = 0; nonce < count; nonce++) {
    const { from, to } = first
    hashes.push(await first.call<Hex>('eth_sendTransaction', { from, to, gas: '0x5208' }))
  }
  await first.call('evm_mine')
  expect((await first.block()).transactions).toEqual(hashes)
  await first.call('anvil_reorg', 1, [])
  expect((await first.block()).transactions).toEqual([])
  await stopDevnet(first)

  const second = await open()
  expect(await second.call('txpool_status')).toEqual({ pending: '0x1388', queued: '0x0' })
  await second.call('evm_mine')
  expect((await second.block()).transactions).toEqual(hashes)
  expect((await second.call<unknown[]>('eth_getBlockReceipts', 'latest')).length).toBe(count)
  await stopDevnet(second)
})
