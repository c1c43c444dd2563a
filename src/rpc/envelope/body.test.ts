import { describe, expect, it } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { ParseError } from '../errors.js'
import { readBody, readBodyInPieces, type Body } from './body.js'

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
    expect(outcome(() => runToCompletion(readBodyInPieces(Buffer.from(text))))).toEqual(expected)
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
    const body = runToCompletion(readBodyInPieces(text))
    expect(body).toMatchObject({ text, message: { id: '1', method: `a${' '.repeat(70_000)}` } })
  })

  it('yields often', () => {
    const pieces = readBodyInPieces(batch)
    let count = 1
    while (pieces.next().done !== true) count++
    // Three passes over the text, one over the messages.
    expect(count).toBeGreaterThan(batch.length / 65_536 + (2 * batch.length) / 300_000 + 20_000 / 600)
  })
})
