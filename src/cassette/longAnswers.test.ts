import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { endEverySlice } from '../../test/support/turns.js'
import { runToCompletion } from '../encoding/timeSlice.js'
import type { WireBytes } from '../rpc/wire.js'
import { openCassette } from './cassette.js'
import { CassetteReader } from './cassetteReader.js'
import { CassetteWriter } from './cassetteWriter.js'
import { type RecordedCall, canonicalJson, linePrefix, textOfMember } from './entry.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cassette-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const callOf = (name: string): RecordedCall => ['rpc', 'local', 'eth_call', [name]]

it('records long answers in order with short ones that come meanwhile, without secrets', async () => {
  const path = join(directory, 'long.cassette')
  const key = '0123456789abcdef'
  const writer = CassetteWriter.create(path, { rules: {}, maskedUrls: [`https://remote.example/v3/${key}`] })
  // Some keys cross the end of a step.
  const long = (name: string) => JSON.stringify(`${name} ${`é-${key}-`.repeat(100_000)}`)
  const answers = ['a', 'b', 'a', 'c', 'a'].map((name, index) => ({
    name,
    result: index % 2 === 0 ? long(`${name}${index}`) : `"${name}${index}"`,
  }))
  const placed = answers.map(({ name, result }) =>
    writer.add(linePrefix(callOf(name)), { resultText: result }, 1),
  )
  await writer.pinTag('local', 'latest', '0x5')
  expect(await Promise.all(placed.map(async (place) => place))).toEqual([1, 2, 3, 4, 5])
  await writer.close()
  const reader = await CassetteReader.open(path)
  const entries = [...reader.entries()].map(({ entry }) => entry)
  expect(reader.header.tags).toEqual({ local: { latest: '0x5' } })
  reader.close()
  const expected = ['a', 'b', 'c'].flatMap((name) =>
    answers
      .filter((answer) => answer.name === name)
      .map(({ result }, index) => ({ call: callOf(name), nth: index + 1, result })),
  )
  expect(entries).toEqual(
    expected.map(({ call, nth, result }) => ({
      call,
      nth,
      outcome: { resultText: result.replaceAll(key, '…') },
    })),
  )
}, 20_000)

it('replays the long answers to the calls of a batch in the order of the calls', async () => {
  const path = join(directory, 'batch.cassette')
  const writer = CassetteWriter.create(path, { rules: {}, maskedUrls: [] })
  const answers = Array.from(
    { length: 20 },
    (_, index) => `"${String(index).repeat(index % 3 === 0 ? 500_000 : 1)}"`,
  )
  for (const resultText of answers) await writer.add(linePrefix(callOf('a')), { resultText }, 1)
  await writer.close()
  const settings = { exhaustion: 'repeat', delayScale: 0 } as const
  const parts = { path, describeTransaction: () => undefined, maskedUrls: [] }
  const cassette = await openCassette({ ...parts, replay: { mode: 'strict', settings } })
  const call = {
    network: 'local',
    method: 'eth_call',
    params: ['a'],
    transport: 'http',
    subscriptions: undefined,
    batch: {},
  }
  const refuse = () => {
    throw new Error('the own chain was asked')
  }
  endEverySlice()
  const replayed = await Promise.all(
    answers.map(async () => (await cassette.call(call, refuse)) as WireBytes),
  )
  vi.restoreAllMocks()
  await cassette.close()
  expect(
    replayed.map((result) => result.parse()).every((value, index) => value === JSON.parse(answers[index]!)),
  ).toBe(true)
})

it.each<[string, unknown]>([
  [
    'many objects',
    Array.from({ length: 50_000 }, (_, index) => ({ a: index, 'b c': [' ', '"', '\\', null] })),
  ],
  ['numbers only', Array.from({ length: 200_000 }, (_, index) => index)],
  [
    'a long string among short ones',
    ['a', ' "\\ é𝄞'.repeat(200_000), 'b c', { ' ': `${' '.repeat(300_000)}` }],
  ],
  ['a long string', ' "\\ é𝄞'.repeat(200_000)],
])('removes the white space around the tokens of %s', (_, value) => {
  const result = JSON.stringify(value)
  for (const text of [`{"id":1,"result":${result}}`, JSON.stringify({ id: 1, result: value }, null, 4)]) {
    expect(runToCompletion(textOfMember(text, 'result')) === result).toBe(true)
  }
})

it.each([' "\\ é𝄞'.repeat(50_000), '𝄞'.repeat(100_000), `a${'𝄞'.repeat(100_000)}`])(
  'writes a long text as JSON does',
  (text) => {
    expect(canonicalJson([text, { b: 1, a: text }]) === JSON.stringify([text, { a: text, b: 1 }])).toBe(true)
  },
)
