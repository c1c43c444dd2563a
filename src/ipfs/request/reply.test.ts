import { expect, it } from 'vitest'
import { countTurnsByLooks } from '../../../test/support/turns.js'
import { single } from './command.js'
import { goJsonBytes, goJsonLine, outputReply } from './reply.js'

it('lets others have their turn while a long answer is written', async () => {
  const Links = Array.from({ length: 50_000 }, (_, index) => ({ Name: `file ${index}`, Size: index }))
  const output = single({ Objects: [{ Links }] })
  // About 2 MB, and a look at the clock for every 64 KiB of them.
  expect(await countTurnsByLooks(() => outputReply(output))).toBeGreaterThan(3)
})

const entry = (index: number) => ({ Name: `<${index}>`, Size: index, Target: undefined })
const many = Array.from({ length: 1000 }, (_, index) => entry(index))

async function written(value: unknown): Promise<string> {
  return Buffer.from(await goJsonBytes(value)).toString()
}

it.each([
  ['nothing', null],
  ['a text', 'a & b'],
  ['an empty list', []],
  ['an empty object', {}],
  ['an object of empty ones', { a: [], b: {}, c: [{}, []] }],
  ['fields without a value', { a: undefined, b: { c: undefined, d: [{ e: undefined }] } }],
  ['a long list of texts', { Strings: many.map(({ Name }) => Name) }],
  [
    'a list of entries',
    {
      Objects: [
        { Hash: 'Qm', Links: many },
        { Hash: 'Qm', Links: [] },
      ],
      Total: 2,
    },
  ],
  [
    'entries with lists inside',
    many.map((value, index) => ({ value, list: index % 100 === 0 ? [many] : [] })),
  ],
  ['an object of many fields', Object.fromEntries(many.map((value) => [value.Name, value]))],
])('writes what is written at once: %s', async (_, value) => {
  expect(await written(value)).toBe(goJsonLine(value))
})

it('writes a map as an object', async () => {
  const fields = many.map((value) => [value.Name, value] as const)
  expect(await written({ Keys: new Map(fields) })).toBe(goJsonLine({ Keys: Object.fromEntries(fields) }))
  expect(await written({ Keys: new Map() })).toBe('{"Keys":{}}\n')
})
