import { describe, expect, it } from 'vitest'
import { lanes, runToCompletion } from '../../encoding/timeSlice.js'
import { ParseError } from '../errors.js'
import { type Body, laneOf, readBody, readBodyInSteps, refusalOfLength, withParams } from './body.js'

function outcome(read: () => Body): Body | 'refused' {
  try {
    return read()
  } catch (error) {
    expect(error).toBeInstanceOf(ParseError)
    return 'refused'
  }
}

const call = (index: number) => ({ jsonrpc: '2.0', id: index, method: 'eth_chainId', params: [`0x${index}`] })
const calls = Array.from({ length: 20_000 }, (_, index) => call(index))
const batch = JSON.stringify(calls)
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

const lengths = [1, 100, 4000, 5000, 70_000, 300_000]

describe('a long body in pieces', () => {
  it.each([
    ['a batch', batch],
    ['a batch with room in it', JSON.stringify(calls, null, 2)],
    ['a batch after whitespace and before trailing text', ` \n${batch} {"id":`],
    [
      'a batch of odd messages',
      JSON.stringify([...calls, 1, [], null, { ID: 7, Method: 'x' }, { id: 2 ** 60 }]),
    ],
    ['one call', JSON.stringify({ ...call(1), params: calls })],
    ['one call with escapes', JSON.stringify({ ...call(1), id: 'a\n', params: calls })],
    ['one call with two ids', `{"id":1,"params":${batch},"id":20000000000000000000}`],
    ['a string', JSON.stringify('a'.repeat(300_000))],
    ['a batch that does not end', batch.slice(0, -1)],
    ['a batch with a wrong character at its end', `${batch.slice(0, -1)},}`],
    ['much room in a string', JSON.stringify({ ...call(1), params: [' '.repeat(300_000)] })],
    ['much room and no end', `[1,${' '.repeat(300_000)}`],
    ['characters of several bytes', JSON.stringify({ ...call(1), params: ['é💥'.repeat(300_000)] })],
    ['nothing but space', ' '.repeat(300_000)],
    ['no JSON', 'x'.repeat(300_000)],
    ['as deep as may be', `[${batch},${deep(9_999)}]`],
    ['too deep', `[${batch},${deep(10_000)}]`],
    ['far beyond its end', `${batch}${deep(10_001)}`],
  ])('parses to the same as at once: %s', (_, text) => {
    const expected = outcome(() => readBody(text))
    expect(outcome(() => runToCompletion(readBodyInSteps(Buffer.from(text))))).toEqual(expected)
  })

  // As Go's decoder: geth 1.17.10 answers both requests.
  it.each([
    '"jsonrpc":"2.0","jsonrpc":1,"id":2,"method":"a"',
    '"method":"a","method":null,"jsonrpc":"2.0","id":2',
  ])('keeps an earlier member if the later one is no string: %s', (members) => {
    const message = { versionValid: true, method: 'a', id: '2' }
    expect(readBody(`{${members}}`)).toMatchObject({ kind: 'single', message })
    expect(readBody(`[{${members}}]`)).toMatchObject({ kind: 'batch', messages: [message] })
  })

  it('is parsed without the whitespace between its tokens', () => {
    const text = `{"jsonrpc":"2.0",${' \n'.repeat(200_000)}"id":1,"method":"a${' '.repeat(70_000)}"${'\t'.repeat(90_000)}}`
    const body = runToCompletion(readBodyInSteps(text))
    expect(body).toMatchObject({ text, message: { id: '1', method: `a${' '.repeat(70_000)}` } })
  })

  it('yields often', () => {
    const pieces = readBodyInSteps(batch)
    let count = 1
    while (pieces.next().done !== true) count++
    // Two passes over the text, one over the messages.
    expect(count).toBeGreaterThan(batch.length / 65_536 + batch.length / 300_000 + 20_000 / 600)
  })

  it('keeps of a batch only as much as a refusal of its size needs', () => {
    const answers = Array.from({ length: 200_000 }, () => ({ jsonrpc: '2.0', id: 1, result: 1 }))
    const body = runToCompletion(readBodyInSteps(JSON.stringify([...answers, ...calls]), 100))
    if (body.kind !== 'batch') throw new Error('no batch')
    expect(body.messages.map(({ method }) => method)).toEqual([...Array<string>(101).fill(''), 'eth_chainId'])
  })

  it('is read without the long parameters of a batch, until they are asked for', async () => {
    const params = [...lengths.map((length) => 'é'.repeat(length)), [{ nested: calls.slice(0, 100) }]]
    const text = JSON.stringify([...params, ...calls].map((value, id) => ({ ...call(id), params: [value] })))
    const pretty = JSON.stringify(JSON.parse(text), null, 3)
    for (const given of [text, pretty]) {
      const whole = readBody(given)
      const read = runToCompletion(readBodyInSteps(given))
      if (whole.kind !== 'batch' || read.kind !== 'batch') throw new Error('no batch')
      expect(read.messages.filter(({ paramsText }) => paramsText !== undefined).length).toBeGreaterThan(3)
      expect(Math.max(...read.messages.map(({ params }) => JSON.stringify(params).length))).toBeLessThan(4200)
      expect(await withParams(read.messages)).toEqual(whole.messages)
    }
  })
})

it.each([
  ['plain', 'a', 65_536],
  ['escaped', '\\u0061', 10_922],
])('takes an id of 65,536 characters in its text, and none longer: %s', (_, character, count) => {
  const read = (length: number) => {
    const body = readBody(`{"jsonrpc":"2.0","id":"${character.repeat(length)}","method":"eth_chainId"}`)
    if (body.kind !== 'single') throw new Error('no single message')
    return body.message
  }
  expect(read(count).id?.length).toBe(count * character.length + 2)
  expect(read(count + 1)).toMatchObject({ id: undefined, idAbsent: false, method: 'eth_chainId' })
})

it('takes calls of more than 32 MB only of methods that take files', () => {
  const body = (method: string) =>
    readBody(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: ['x'.repeat(2 ** 25)] }))
  const refusal = (method: string) => {
    const read = body(method)
    return read.kind === 'single' ? refusalOfLength(read.message)?.message : read.kind
  }
  expect(refusal('anvil_loadState')).toBeUndefined()
  expect(refusal('web3_sha3')).toMatch(/^content length too large \(\d+>33554432\)$/)
})

it.each([
  ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}', 'lookups'],
  ['{"method":"eth_getTransactionReceipt","params":["0x00"],"id":3,"jsonrpc":"2.0"}', 'lookups'],
  ['{"jsonrpc": "2.0", "method": "eth_getBalance", "params": [], "id": 0}', 'lookups'],
  ['{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[]}', 'reads'],
  ['{"jsonrpc":"2.0","id":1,"method":"debug_traceTransaction","params":[]}', 'reads'],
  ['{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":[]}', 'changes'],
  ['{"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[]}', 'changes'],
  ['{"jsonrpc":"2.0","id":1,"method":"eth_resend","params":[]}', 'changes'],
  ['{"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[]}', 'changes'],
  ['{"jsonrpc":"2.0","id":1,"method":"eth_getFilterChanges","params":[]}', 'changes'],
  ['{"jsonrpc":"2.0","id":1,"method":"debug_setHead","params":["0x0"]}', 'changes'],
  ['{"jsonrpc":"2.0","id":1,"method":"evm_mine"}', 'changes'],
  // What follows may be anything.
  ['[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]', 'changes'],
  ['{"params":["\\"method\\":\\"eth_chainId"],"method":"evm_mine"}', 'changes'],
  ['', 'changes'],
] as const)('%s waits with the %s', (text, lane) => {
  expect(laneOf(text)).toBe(lanes[lane])
  expect(laneOf(Buffer.from(text))).toBe(lanes[lane])
})
