import { expect, it } from 'vitest'
import { countTurnsByClockReads } from '../../../test/support/turns.js'
import { Fields, single } from './command.js'
import { createLineQueue, goJsonBytes, goJsonLine, outputReply } from './reply.js'

it('yields while it encodes a long answer', async () => {
  const Links = Array.from({ length: 50_000 }, (_, index) => ({ Name: `file ${index}`, Size: index }))
  const output = single({ Objects: [{ Links }] })
  // About 2 MB, with a reading of the clock per 64 KiB.
  expect(await countTurnsByClockReads(() => outputReply(output))).toBeGreaterThan(3)
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
])('encodes the same in pieces as at once: %s', async (_, value) => {
  expect(await written(value)).toBe(goJsonLine(value))
})

it('encodes a list of fields as an object', async () => {
  const fields = many.map((value) => [value.Name, value] as const)
  expect(await written({ Keys: new Fields(fields) })).toBe(goJsonLine({ Keys: Object.fromEntries(fields) }))
  expect(await written({ Keys: new Fields([]) })).toBe('{"Keys":{}}\n')
})

async function all<T>(groups: AsyncIterable<T[]>): Promise<T[][]> {
  const received: T[][] = []
  for await (const group of groups) received.push(group)
  return received
}

it('delivers in order, in groups that became safe together, and nothing earlier', async () => {
  const queue = createLineQueue<number>()
  let first = (): void => undefined
  const late = new Promise<void>((resolve) => (first = resolve))
  void queue.send(1, late)
  void queue.send(2, late)
  void queue.send(3, Promise.resolve())
  const received: number[] = []
  const reading = (async () => {
    for await (const group of queue.receive()) received.push(...group)
  })()
  await new Promise((resolve) => setImmediate(resolve))
  expect(received).toEqual([])
  void queue.send(4, late)
  first()
  queue.close()
  await reading
  expect(received).toEqual([1, 2, 3, 4])
})

it('loses nothing that is safe when sent', async () => {
  const queue = createLineQueue<number>()
  const safe = Promise.resolve()
  const reading = all(queue.receive())
  for (let value = 0; value < 2000; value++) {
    await queue.send(value, safe)
    if (value % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  queue.close()
  expect((await reading).flat()).toEqual(Array.from({ length: 2000 }, (_, value) => value))
})

it('makes the producer wait for a slow consumer', async () => {
  const queue = createLineQueue<number>()
  let sent = 0
  const sending = (async () => {
    for (; sent < 10_000; sent++) await queue.send(sent, Promise.resolve())
    queue.close()
  })()
  for (let turn = 0; turn < 1000; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(sent).toBeLessThan(100)
  expect((await all(queue.receive())).flat()).toHaveLength(10_000)
  await sending
})

it('fails with the error of a value that did not become safe', async () => {
  const queue = createLineQueue<number>()
  void queue.send(1, Promise.reject(new Error('disk full')))
  queue.close()
  await expect(all(queue.receive())).rejects.toThrow('disk full')
})
