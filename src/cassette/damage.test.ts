import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bodiesDirectory } from './bodies.js'
import { openCassette } from './cassette.js'
import { CassetteReader } from './cassetteReader.js'
import { CassetteWriter } from './cassetteWriter.js'
import { linePrefix } from './entry.js'
import { RecordedAnswers } from './recordedAnswers.js'
import { BodyHash } from './files.js'

let directory: string
let path: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cassette-'))
  path = join(directory, 'run.ndjson')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const entry = (method: string, result: string): string =>
  `{"call":["rpc","local","${method}",[]],"nth":1,"result":${result}}`
const HEAD = '{"cassette":1}'

/** Results in a cassette, in order. */
async function resultsOf(text: string | Buffer): Promise<string[]> {
  writeFileSync(path, text)
  const reader = await CassetteReader.open(path)
  const results = [...reader.entries()].map(
    ({ entry: { outcome } }) => 'resultText' in outcome && outcome.resultText,
  )
  reader.close()
  return results.map(String)
}

async function closed(): Promise<string> {
  const writer = CassetteWriter.create(path, { rules: {}, maskedUrls: [] })
  await writer.add(linePrefix(['rpc', 'local', 'eth_chainId', []]), { resultText: '"0x1"' }, 1)
  await writer.add(linePrefix(['rpc', 'local', 'eth_call', [{}]]), { resultText: '"0x2"' }, 1)
  await writer.close()
  return readFileSync(path, 'utf8')
}

describe('a file is accepted', () => {
  it.each([
    ['of a head alone', HEAD, []],
    ['of a head and a line feed', `${HEAD}\n`, []],
    ['with half a line at its end', `${HEAD}\n${entry('a', '1')}\n{"call":["rpc","lo`, ['1']],
    [
      'with half a character at its end',
      Buffer.from(`${HEAD}\n${entry('a', '1')}\n{"call":["ü`).subarray(0, -1),
      ['1'],
    ],
    [
      'with a whole last line that lacks its end',
      `${HEAD}\n${entry('a', '1')}\n${entry('b', '2')}`,
      ['1', '2'],
    ],
    ['with a byte order mark', `\uFEFF${HEAD}\n${entry('a', '1')}\n`, ['1']],
    ['with carriage returns', `${HEAD}\r\n${entry('a', '1')}\r\n${entry('b', '2')}\r\n`, ['1', '2']],
    [
      'with spaces and other orders',
      `${HEAD}\n{ "result" : [ 1 , 2 ], "nth": 1,\t"call": ["rpc", "local", "a", []]}\n`,
      ['[1,2]'],
    ],
  ])('%s', async (_, text, results) => {
    expect(await resultsOf(text)).toEqual(results)
    // The file is now closed, and reads the same again.
    expect(await resultsOf(readFileSync(path))).toEqual(results)
  })

  it('if it was closed and converted to CRLF, or given a byte order mark', async () => {
    const text = await closed()
    expect(await resultsOf(text.replaceAll('\n', '\r\n'))).toEqual(['"0x2"', '"0x1"'])
    expect(await resultsOf(`\uFEFF${text}`)).toEqual(['"0x2"', '"0x1"'])
  })

  it('with a line of 100 MB', async () => {
    const long = JSON.stringify('f'.repeat(100_000_000))
    const text = [HEAD, entry('c', '3'), entry('b', long), entry('a', '1'), ''].join('\n')
    writeFileSync(path, text)
    const reader = await CassetteReader.open(path)
    const answers = await RecordedAnswers.open(reader, { exhaustion: 'repeat', delayScale: 0 })
    const found = await answers.take(['rpc', 'local', 'b', []])
    const { resultText } = found?.answer.entry.outcome as { resultText: string }
    expect(resultText === long).toBe(true)
    expect(await answers.take(['rpc', 'local', 'c', []])).toMatchObject({
      answer: { entry: { outcome: { resultText: '3' } } },
    })
    reader.close()
  })
})

describe('a file is refused with its line number', () => {
  it.each([
    ['empty', '', ':1: is empty'],
    ['half a head', '{"cassette":1,"ru', ':1: is not a Standin cassette'],
    ['a head that is a list', '[1]\n', ':1: is not a Standin cassette'],
    ['an older version', '{"cassette":0}\n', ':1: is a cassette of version 0; this Standin reads version 1'],
    [
      'a version that is a string',
      '{"cassette":"1"}\n',
      ':1: is a cassette of version 1; this Standin reads version 1',
    ],
    ['wrong tags', '{"cassette":1,"tags":null}\n', ':1: tags: Invalid input: expected record, received null'],
    [
      'wrong sums',
      '{"cassette":1,"closed":{"entries":"x"}}\n',
      ':1: closed.entries: Invalid input: expected number',
    ],
    ['wrong rules', '{"cassette":1,"rules":{"mask":[]}}\n', ':1: rules: unknown member mask'],
    ['a head twice', `${HEAD}\n${entry('a', '1')}\n${HEAD}\n${entry('b', '1')}\n`, ':3: is a second header'],
    ['a blank line', `${HEAD}\n\n${entry('a', '1')}\n`, ':2: is not valid JSON'],
    [
      'two outcomes',
      `${HEAD}\n${entry('a', '1,"error":{"code":1,"message":""}')}\n`,
      ':2: expected exactly one of',
    ],
    ['no outcome', `${HEAD}\n{"call":["rpc","local","a",[]],"nth":1}\n`, ':2: expected exactly one of'],
    [
      'a method of another type',
      `${HEAD}\n{"call":["rpc","local",7,[]],"nth":1,"result":1}\n`,
      ':2: call: expected',
    ],
    ['no headers', `${HEAD}\n{"call":["files","GET /",null,""],"nth":1,"result":1}\n`, ':2: call: expected'],
    ['bytes of another kind', Buffer.from([0x1f, 0x8b, 8, 0, 10, 13]), ':1: is not a Standin cassette'],
  ])('%s', async (_, text, message) => {
    await expect(resultsOf(text)).rejects.toThrow(`${path}${message}`)
  })

  it('if its closed lines were truncated', async () => {
    const text = await closed()
    await expect(resultsOf(text.slice(0, -5))).rejects.toThrow(`${path}:3: is cut off here`)
  })
})

it('reports a missing or altered body with the line that names it', async () => {
  const hash = 'ab'.repeat(32)
  const bodyHash = new BodyHash(undefined).digest()
  const writer = CassetteWriter.create(path, { rules: {}, maskedUrls: [] })
  const call = ['files', 'POST /api/v0/cat?arg=x', {}, bodyHash] as const
  await writer.add(linePrefix(call), { http: { status: 200, headers: {}, body: hash } }, 1)
  await writer.add(linePrefix(['rpc', 'local', 'eth_chainId', []]), { resultText: '"0x1"' }, 1)
  await writer.close()
  const settings = { exhaustion: 'repeat', delayScale: 0 } as const
  const replay = { mode: 'strict', settings } as const
  const playing = await openCassette({ path, maskedUrls: [], describeTransaction: () => undefined, replay })
  const ask = async (): Promise<string> => {
    const { signal } = new AbortController()
    const request = { method: 'POST', target: '/api/v0/cat?arg=x', headers: {}, signal }
    const { status, body } = await playing.files(request, () => Promise.reject(new Error('asked')))
    expect(status).toBe(500)
    return Buffer.from(body as Uint8Array).toString()
  }
  expect(await ask()).toContain(`${path}:2: the body ${hash} is missing in ${bodiesDirectory(path)}`)
  mkdirSync(bodiesDirectory(path))
  writeFileSync(join(bodiesDirectory(path), hash), 'something else')
  expect(await ask()).toContain(`${path}:2: the body ${hash} has different contents`)
  expect(readdirSync(bodiesDirectory(path))).toEqual([hash])
  await playing.close()
})
