import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'

/** A request that does not depend on the chain, and geth 1.17.10's answer. */
interface Recorded {
  method: string
  params: unknown[]
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

const file = join(import.meta.dirname, 'support/gethAnswers.json')
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded[]

let node: StandinNode
beforeAll(async () => {
  node = await createNode({ port: 0, txGasLimit: true, timestamp: 1_700_000_000 })
})
afterAll(() => node.stop())

test.each(recorded.map((row) => [row.method, JSON.stringify(row.params).slice(0, 160), row] as const))(
  '%s %s is answered as by geth',
  async (method, _, { params, result, error }) => {
    const response = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const answer = (await response.json()) as Recorded
    expect(answer.error).toEqual(error)
    if (error !== undefined) return
    // Fees beside the encoded transaction follow the standard, not geth.
    if (method === 'eth_fillTransaction') expect(answer.result).toMatchObject(result as object)
    else expect(answer.result).toEqual(result)
  },
)
