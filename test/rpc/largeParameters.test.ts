import { afterEach, expect, test, vi } from 'vitest'
import { countTurns, endEverySlice } from '../support/turns.js'
import { answerText, testPipeline } from './support/pipeline.js'

afterEach(() => {
  vi.restoreAllMocks()
})

const count = 10_000
const word = (index: number): string => `0x${index.toString(16).padStart(64, '0')}`
const words = Array.from({ length: count }, (_, index) => word(index))
const address = `0x${'ab'.repeat(20)}`

function bodyOf(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params, id: 1 })
}

/** Answers a body; returns the answer and the event loop turns until it was there. */
async function answerCountingTurns(body: string): Promise<{ text: string; turns: number }> {
  const pipeline = testPipeline()
  let text = ''
  endEverySlice()
  const turns = await countTurns(async () => {
    text = await answerText(pipeline, body)
  })
  vi.restoreAllMocks()
  return { text, turns }
}

/** Counts the turns that reading a body of this length takes, apart from decoding its parameters. */
async function turnsToRead(body: string): Promise<number> {
  const { text, turns } = await answerCountingTurns(body.replace(/"method":"\w+"/, '"method":"none"'))
  expect(text).toContain('The method none does not exist')
  return turns
}

test.each([
  ['a long value', bodyOf('web3_sha3', `0x${'7a'.repeat(1_000_000)}`), 15],
  ['many topics', bodyOf('eth_getLogs', { topics: [words] }), count / 64],
  ['many slots', bodyOf('eth_getStorageValues', { [address]: words }), count / 64],
  [
    'an access list',
    bodyOf('eth_sendTransaction', { accessList: [{ address, storageKeys: [...words, 'wrong'] }] }),
    count / 64,
  ],
  [
    'percentiles',
    bodyOf('eth_feeHistory', '0x1', 'latest', [...words.keys(), '.'.repeat(300_000)]),
    count / 64,
  ],
])('%s: decoded over many turns', async (_name, body, least) => {
  const { turns } = await answerCountingTurns(body)
  expect(turns - (await turnsToRead(body))).toBeGreaterThan(least - 1)
})

test('long bodies are refused with the same messages', async () => {
  const padding = ' '.repeat(300_000)
  const pipeline = testPipeline()
  for (const body of [
    bodyOf('web3_sha3', '0xg0'),
    bodyOf('web3_sha3'),
    bodyOf('web3_sha3', '0x', 1),
    bodyOf('eth_getLogs', { topics: [words.slice(0, 3), 7] }),
    bodyOf('eth_call', { accessList: [{ storageKeys: ['0x1'] }] }),
    bodyOf('eth_call', null, 'nope'),
  ]) {
    expect(await answerText(pipeline, body + padding)).toBe(await answerText(pipeline, body))
  }
})

test('large parameters of a message in a batch are decoded over many turns', async () => {
  const large = bodyOf('web3_sha3', `0x${'7a'.repeat(1_000_000)}`)
  const alone = await answerCountingTurns(large)
  const batch = await answerCountingTurns(`[${large},${bodyOf('web3_sha3', '0x')}]`)
  expect(JSON.parse(batch.text)).toHaveLength(2)
  expect(batch.text).toContain(alone.text)
  expect(batch.turns).toBeGreaterThan((await turnsToRead(large)) + 14)
})

test('members of a long message are found without parsing its parameters again', async () => {
  const params = [`0x${'7a'.repeat(1_000_000)}`]
  const parse = vi.spyOn(JSON, 'parse')
  // An id of 1.0 must be echoed as written, so its source text is needed.
  const text = await answerText(
    testPipeline(),
    JSON.stringify({ method: 'web3_sha3', params, jsonrpc: '2.0' }).replace('}', ',"id":1.0}'),
  )
  expect(text).toContain('"id":1.0,"result":"0x')
  const longest = Math.max(...parse.mock.calls.map(([source]) => source.length))
  expect(longest).toBeLessThan(200_000)
})
