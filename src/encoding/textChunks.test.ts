import { afterEach, expect, it, vi } from 'vitest'
import { countTurns, endEverySlice } from '../../test/support/turns.js'
import { textChunks } from './textChunks.js'

afterEach(() => {
  vi.restoreAllMocks()
})

async function collect(pieces: Iterable<string>): Promise<string[]> {
  const chunks: string[] = []
  for await (const chunk of textChunks(pieces)) chunks.push(chunk)
  return chunks
}

it('joins texts into chunks of 64 KiB or a little more', async () => {
  const pieces = Array.from({ length: 1000 }, (_, index) => `${index},`.padStart(300))
  const chunks = await collect(pieces)
  expect(chunks.join('')).toBe(pieces.join(''))
  expect(chunks.slice(0, -1).every(({ length }) => length >= 65_536 && length < 65_536 + 300)).toBe(true)
  expect(chunks).toHaveLength(5)
})

it('lets others have their turn between the texts', async () => {
  endEverySlice()
  expect(await countTurns(() => collect(new Array<string>(500).fill('text')))).toBeGreaterThanOrEqual(500)
})
