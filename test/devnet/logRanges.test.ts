import { encodeFunctionData, numberToHex, type Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { readArtifact } from '../support/artifacts.js'
import { refusalOf, startDevnet, stopAll, type Devnet } from './support.js'

afterEach(stopAll)

const { abi, bytecode } = readArtifact('Events')

/** Deploys a contract in block 1, which logs in each of the blocks 2 to 4. */
async function withLogs(devnet: Devnet): Promise<(first: number) => Promise<unknown>> {
  const { contractAddress: to } = await devnet.send({ data: bytecode })
  const log = (first: number) =>
    devnet.send({ to, data: encodeFunctionData({ abi, functionName: 'emitOne', args: [first, 0] }) })
  for (const first of [2, 3, 4]) await log(first)
  return log
}

async function blocksOf(devnet: Devnet, filter: object): Promise<number[]> {
  const logs = await devnet.call<{ blockNumber: Hex }[]>('eth_getLogs', filter)
  return logs.map(({ blockNumber }) => Number(blockNumber))
}

describe('where log ranges are clipped', () => {
  test.each([
    { logsRange: 'lenient' } as const,
    { compat: 'hardhat' } as const,
    { compat: 'anvil', slotsInAnEpoch: 0 } as const,
  ])('every range is searched as far as blocks exist: %o', async (options) => {
    const devnet = await startDevnet(options)
    await withLogs(devnet)
    const rows: [filter: object, blocks: number[]][] = [
      [{}, [4]],
      [{ fromBlock: '0x0', toBlock: '0x64' }, [2, 3, 4]],
      [{ fromBlock: '0x4', toBlock: '0x2' }, []],
      [{ toBlock: '0x3' }, []],
      [{ fromBlock: 'pending' }, [4]],
      [{ fromBlock: '0x3', toBlock: 'pending' }, [3, 4]],
      [{ fromBlock: 'safe', toBlock: 'pending' }, [4]],
    ]
    for (const [filter, blocks] of rows) {
      expect({ filter, blocks: await blocksOf(devnet, filter) }).toEqual({ filter, blocks })
    }
    for (const filter of [{ fromBlock: '0x64' }, { fromBlock: '0x64', toBlock: '0xc8' }]) {
      const found = blocksOf(devnet, filter)
      if (options.compat === 'anvil') expect(await refusalOf(found)).toMatchObject({ code: -32602 })
      else expect(await found).toEqual([])
    }
  })

  test('filters accept every range, and return the logs in it', async () => {
    const devnet = await startDevnet({ logsRange: 'lenient' })
    const log = await withLogs(devnet)
    const ranges: [range: object, blocks: number[]][] = [
      [{ fromBlock: 'pending' }, [5, 6]],
      [{ toBlock: '0x5' }, [5]],
      [{ fromBlock: 'latest', toBlock: '0x5' }, [5]],
      [{ fromBlock: 'finalized' }, [5, 6]],
      [{ fromBlock: '0x6', toBlock: 'pending' }, [6]],
      [{ fromBlock: '0x3', toBlock: '0x1' }, []],
    ]
    const ids: Hex[] = []
    for (const [range] of ranges) ids.push(await devnet.call<Hex>('eth_newFilter', range))
    await log(5)
    await log(6)
    for (const [index, [range, blocks]] of ranges.entries()) {
      const changes = await devnet.call<{ blockNumber: Hex }[]>('eth_getFilterChanges', ids[index])
      const found = changes.map(({ blockNumber }) => Number(blockNumber))
      expect({ range, blocks: found }).toEqual({ range, blocks })
    }
  })

  test('a tag without a block is still refused', async () => {
    const { call } = await startDevnet({ logsRange: 'lenient', hardfork: 'london' })
    for (const method of ['eth_getLogs', 'eth_newFilter']) {
      expect(await refusalOf(call(method, { fromBlock: 'safe' }))).toMatchObject({ code: -32000 })
    }
  })
})

test('--logs-range strict applies under --compat too', async () => {
  const { call } = await startDevnet({ compat: 'hardhat', logsRange: 'strict' })
  expect(await refusalOf(call('eth_getLogs', { fromBlock: numberToHex(9) }))).toMatchObject({ code: -32602 })
})

test('an anvil filter from a past block has each log once, even one mined while it is created', async () => {
  const devnet = await startDevnet({ compat: 'anvil', slotsInAnEpoch: 0 })
  const log = await withLogs(devnet)
  for (let count = 4; count <= 24; count++) {
    const [filter] = await Promise.all([devnet.call<Hex>('eth_newFilter', { fromBlock: '0x0' }), log(count)])
    const found = await devnet.call<{ blockNumber: Hex }[]>('eth_getFilterChanges', filter)
    const wanted = Array.from({ length: count }, (_, index) => index + 2)
    expect(found.map(({ blockNumber }) => Number(blockNumber))).toEqual(wanted)
  }
})

test('an anvil filter from a past block drops only reverted logs', async () => {
  const devnet = await startDevnet({ compat: 'anvil', slotsInAnEpoch: 0 })
  const snapshot = await devnet.call<Hex>('evm_snapshot')
  const log = await withLogs(devnet)
  const second = await devnet.call<Hex>('evm_snapshot')
  await log(5)
  const [whole, polled, beyond] = await Promise.all(
    ['0x0', '0x0', '0x5'].map((fromBlock) => devnet.call<Hex>('eth_newFilter', { fromBlock })),
  )
  const poll = async (filter: Hex | undefined) => {
    const changes = await devnet.call<{ blockNumber: Hex }[]>('eth_getFilterChanges', filter)
    return changes.map(({ blockNumber }) => Number(blockNumber))
  }
  expect(await poll(polled)).toEqual([2, 3, 4, 5])
  await devnet.call('evm_revert', second)
  expect(await poll(polled)).toEqual([])
  expect(await poll(beyond)).toEqual([])
  await log(5)
  expect(await poll(whole)).toEqual([2, 3, 4, 5])
  const again = await devnet.call<Hex>('eth_newFilter', { fromBlock: '0x0' })
  await devnet.call('evm_revert', snapshot)
  expect(await poll(again)).toEqual([])
})
