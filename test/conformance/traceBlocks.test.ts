import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Frame, Receipt, StructTrace } from '../tracing/tracedNode.js'
import { recordedCases, startImported, type ImportedNode } from './support/chain.js'

interface Traced<T> {
  txHash: string
  result: T
}

function logsOf(frame: Frame): NonNullable<Frame['logs']> {
  return [...(frame.logs ?? []), ...(frame.calls ?? []).flatMap(logsOf)]
}

describe.skipIf(recordedCases === undefined)('the traces of every block of the imported chain', () => {
  let imported: ImportedNode

  beforeAll(async () => {
    imported = await startImported()
  })
  afterAll(() => imported.remove())

  /** Calls `check` with the receipts and traces of each block. */
  async function eachBlock<T>(config: object, check: (receipts: Receipt[], traces: Traced<T>[]) => void) {
    const { node } = imported
    for (let number = 1; number <= 54; number++) {
      const block = `0x${number.toString(16)}`
      const receipts = (await node.request('eth_getBlockReceipts', [block])) as Receipt[]
      const traces = (await node.request('debug_traceBlockByNumber', [block, config])) as Traced<T>[]
      expect(traces.map(({ txHash }) => txHash)).toEqual(
        receipts.map(({ transactionHash }) => transactionHash),
      )
      check(receipts, traces)
    }
  }

  it('use the gas in the receipts, step by step', async () => {
    await eachBlock<StructTrace>({ disableStack: true }, (receipts, traces) => {
      traces.forEach(({ result }, index) => {
        expect(result.gas).toBe(Number(receipts[index]?.gasUsed))
        const status = receipts[index]?.status as string | undefined
        if (status !== undefined) expect(result.failed).toBe(status === '0x0')
      })
    })
  })

  it('emit the logs in the receipts', async () => {
    const config = { tracer: 'callTracer', tracerConfig: { withLog: true } }
    await eachBlock<Frame>(config, (receipts, traces) => {
      traces.forEach(({ result }, index) => {
        expect(result.gasUsed).toBe(receipts[index]?.gasUsed)
        const logs = logsOf(result).sort((a, b) => Number(a.index) - Number(b.index))
        expect(
          logs.map(({ address, topics, data, index: logIndex }) => ({ address, topics, data, logIndex })),
        ).toEqual(
          receipts[index]?.logs.map(({ address, topics, data, logIndex }) => ({
            address,
            topics,
            data,
            logIndex,
          })),
        )
      })
    })
  })

  it('have diffs that lead to the state of the head', async () => {
    const config = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
    const { node } = imported
    const settled = new Map<string, string>()
    await eachBlock<{
      pre: Record<string, { balance?: string }>
      post: Record<string, { balance?: string }>
    }>(config, (_, traces) => {
      for (const { result } of traces) {
        for (const [address, { balance }] of Object.entries(result.post)) {
          if (balance !== undefined) settled.set(address, balance)
        }
      }
    })
    expect(settled.size).toBeGreaterThan(15)
    // Except for withdrawals and rewards, the last diff of a balance equals the head's balance.
    const paid = new Set<string>()
    for (let number = 1; number <= 54; number++) {
      const block = (await node.request('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as {
        miner: string
        withdrawals?: { address: string }[]
      }
      paid.add(block.miner)
      for (const { address } of block.withdrawals ?? []) paid.add(address)
    }
    for (const [address, balance] of settled) {
      if (paid.has(address)) continue
      expect(await node.request('eth_getBalance', [address, 'latest']), address).toBe(balance)
    }
  })
})
