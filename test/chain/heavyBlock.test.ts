import { encodeAbiParameters, numberToHex, type Hex } from 'viem'
import { afterEach, expect, test, vi } from 'vitest'
import { Database } from '../../src/storage/database.js'
import { StorageWriteError } from '../../src/storage/errors.js'
import { startDevnet, stopAll, type Devnet, type Receipt } from '../devnet/support.js'

afterEach(async () => {
  vi.restoreAllMocks()
  await stopAll()
})

type Write = (this: Database, ...parameters: Parameters<Database['write']>) => void

const contract: Hex = `0x${'c0'.repeat(20)}`
/** Runtime code that stores 1 in the slots from the first word of the call data to the second. */
const fill: Hex = '0x5f355b60018155600101806020351160025700'
const slotsOf = (from: number, to: number): Hex =>
  encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [BigInt(from), BigInt(to)])

/** Queues three transactions that fill 700 slots each, with enough gas for all in the next block. */
async function prepareHeavyBlock({ call, from }: Devnet): Promise<void> {
  await call('anvil_setCode', contract, fill)
  for (const nonce of [0, 1, 2]) {
    const data = slotsOf(700 * nonce, 700 * (nonce + 1))
    const fields = { from, to: contract, data, gas: '0xffffff', nonce: numberToHex(nonce) }
    await call('eth_sendTransaction', fields)
  }
  await call('anvil_setBlockGasLimit', '0x5f5e100')
}

async function expectHeavyBlock({ call, block }: Devnet): Promise<void> {
  const { number, transactions } = await block()
  expect(number).toBe('0x1')
  expect(transactions).toHaveLength(3)
  for (const hash of transactions) {
    expect(await call<Receipt>('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  }
  for (let slot = 0; slot < 2100; slot += 100) {
    expect(await call('eth_getStorageAt', contract, numberToHex(slot), 'latest')).toMatch(/^0x0{63}1$/)
  }
}

test('a block with many changes is stored in small writes and committed by the last', async () => {
  const devnet = await startDevnet({ noMining: true })
  await prepareHeavyBlock(devnet)
  const write = vi.spyOn(Database.prototype, 'write')
  await devnet.call('evm_mine')
  const rows = write.mock.calls.map(([{ operations }]) => operations.length)
  // At least a trie node for each slot; the last write also has the block.
  expect(rows.reduce((sum, count) => sum + count)).toBeGreaterThan(2100)
  expect(Math.max(...rows)).toBeLessThan(1100)
  await expectHeavyBlock(devnet)
})

test('a block with many changes that fails to store changes nothing, and can be mined again', async () => {
  const devnet = await startDevnet({ noMining: true })
  await prepareHeavyBlock(devnet)
  const { stateRoot } = await devnet.block()
  const write = Object.getOwnPropertyDescriptor(Database.prototype, 'write')?.value as Write
  let [writes, failing] = [0, 0]
  vi.spyOn(Database.prototype, 'write').mockImplementation(function (this: Database, batch) {
    if (writes++ === failing) throw new StorageWriteError('No space is left', { cause: undefined })
    write.call(this, batch)
  })
  // Each attempt gets one write further; the first to finish has its block.
  for (; (await devnet.height()) === 0; failing++) {
    expect(await devnet.block()).toMatchObject({ number: '0x0', stateRoot })
    expect(await devnet.call('eth_getStorageAt', contract, '0x1', 'latest')).toMatch(/^0x0{64}$/)
    writes = 0
    await devnet.call('evm_mine').catch((error: unknown) => {
      expect(error).toMatchObject({ code: -32000 })
    })
  }
  expect(failing).toBeGreaterThan(3)
  vi.restoreAllMocks()
  await expectHeavyBlock(devnet)
})
