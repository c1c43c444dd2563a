import { encodeDeployData, encodeFunctionData, pad, toHex, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { readArtifact } from '../support/artifacts.js'

interface Log {
  address: Hex
  topics: Hex[]
  data: Hex
  blockNumber: Hex
  blockHash: Hex
  logIndex: Hex
  transactionHash: Hex
}

const { abi, bytecode } = readArtifact('Events')
const BLOCKS = 60

let node: StandinNode
let contracts: Hex[]
/** Every log of the chain, read from the receipts. */
let all: Log[]

const call = async <T>(method: string, ...params: unknown[]) => (await node.request(method, params)) as T

/** Returns a seeded generator, so that failures are reproducible. */
function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

beforeAll(async () => {
  node = await createNode({ port: 0, noMining: true })
  const from = node.accounts[0]!.address
  const send = (to: Hex | undefined, data: Hex) =>
    call<Hex>('eth_sendTransaction', { from, to, data, gas: '0x100000' })
  const deployments = [
    await send(undefined, encodeDeployData({ abi, bytecode })),
    await send(undefined, encodeDeployData({ abi, bytecode })),
  ]
  await call('evm_mine')
  const receipts = await Promise.all(
    deployments.map((hash) => call<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)),
  )
  contracts = receipts.map(({ contractAddress }) => contractAddress)
  const next = generator(7)
  for (let height = 0; height < BLOCKS; height++) {
    for (let i = next(5); i > 0; i--) {
      const a = BigInt(next(3))
      const b = pad(toHex(next(3)), { size: 20 })
      const data = [
        () => encodeFunctionData({ abi, functionName: 'emitPlain' }),
        () => encodeFunctionData({ abi, functionName: 'emitOne', args: [a, 1n] }),
        () => encodeFunctionData({ abi, functionName: 'emitTwo', args: [a, b, 'text'] }),
        () => encodeFunctionData({ abi, functionName: 'emitAnonymous0', args: [a] }),
        () => encodeFunctionData({ abi, functionName: 'emitAnonymous4', args: [a, a, a, a, 1n] }),
      ][next(5)]!()
      await send(contracts[next(2)], data)
    }
    await call('evm_mine')
  }
  all = []
  for (let height = 0; height <= BLOCKS + 1; height++) {
    const receipts = await call<{ logs: Log[] }[]>('eth_getBlockReceipts', toHex(height))
    all.push(...receipts.flatMap(({ logs }) => logs))
  }
})

afterAll(() => node.stop())

describe('eth_getLogs', () => {
  test('has enough logs to search', () => {
    expect(all.length).toBeGreaterThan(BLOCKS)
    expect(new Set(all.map(({ topics }) => topics.length))).toEqual(new Set([0, 1, 2, 3, 4]))
  })

  test('agrees with the receipts for 400 random filters', async () => {
    const next = generator(11)
    const topicsSeen = [0, 1, 2, 3].map((position) => [
      ...new Set(all.flatMap(({ topics }) => topics[position] ?? [])),
      pad('0x1234', { size: 32 }),
    ])
    const pick = <T>(values: readonly T[]): T[] => values.filter(() => next(2) === 0)
    for (let i = 0; i < 400; i++) {
      const from = next(BLOCKS + 2)
      const to = from + next(BLOCKS + 2 - from)
      const address = [undefined, contracts[next(2)], pick(contracts)][next(3)]
      const topics = Array.from({ length: next(5) }, (_, position) => {
        const seen = topicsSeen[position]!
        return [null, seen[next(seen.length)]!, pick(seen)][next(3)]!
      })
      const wanted = all.filter((log) => {
        const height = Number(log.blockNumber)
        if (height < from || height > to || topics.length > log.topics.length) return false
        const addresses = address === undefined ? [] : [address].flat()
        if (addresses.length > 0 && !addresses.includes(log.address)) return false
        return topics.every((topic, position) => {
          const alternatives = topic === null ? [] : [topic].flat()
          return alternatives.length === 0 || alternatives.includes(log.topics[position]!)
        })
      })
      const filter = { fromBlock: toHex(from), toBlock: toHex(to), topics, ...(address && { address }) }
      expect(await call<Log[]>('eth_getLogs', filter), JSON.stringify(filter)).toEqual(wanted)
    }
  })

  test('finds the logs of one block by its hash', async () => {
    const { blockHash } = all[all.length >> 1]!
    const wanted = all.filter((log) => log.blockHash === blockHash)
    expect(await call('eth_getLogs', { blockHash })).toEqual(wanted)
    expect(await call('eth_getLogs', { blockhash: blockHash })).toEqual(wanted)
  })
})

describe('exceeded limits', () => {
  test.each([
    ['results', { logsMaxResults: 10 }, 'query returned more than 10 results', -32005],
    ['parameters', { logsMaxParameters: 3 }, 'query exceeds 3 parameters', -32602],
  ])('%s', async (_, options, message, code) => {
    const limited = await createNode({ port: 0, ...options })
    try {
      const from = limited.accounts[0]!.address
      const request = (method: string, ...params: unknown[]) => limited.request(method, params)
      const hash = await request('eth_sendTransaction', { from, data: encodeDeployData({ abi, bytecode }) })
      const { contractAddress } = (await request('eth_getTransactionReceipt', hash)) as {
        contractAddress: Hex
      }
      const data = encodeFunctionData({ abi, functionName: 'emitPlain' })
      for (let i = 0; i < 10; i++) await request('eth_sendTransaction', { from, to: contractAddress, data })
      const address = [contractAddress, from, pad('0x1', { size: 20 })]
      expect(await request('eth_getLogs', { fromBlock: '0x0', address })).toHaveLength(10)
      await request('eth_sendTransaction', { from, to: contractAddress, data })
      const topics = [all.find((log) => log.topics.length === 1)!.topics[0]]
      await expect(request('eth_getLogs', { fromBlock: '0x0', address, topics })).rejects.toMatchObject({
        message,
        code,
      })
    } finally {
      await limited.stop()
    }
  })
})
