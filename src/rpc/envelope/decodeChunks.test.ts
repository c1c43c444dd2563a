import { expect, it } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { decodeChunks } from './decodeChunks.js'

const decode = (...chunks: Buffer[]) => runToCompletion(decodeChunks(chunks))
const megabytes = 'a'.repeat(3e6)

it.each([
  ['nothing', ''],
  ['a short text', '{"a":"ä"}'],
  ['a long text', `${megabytes}b`],
  ['a long text beyond ASCII', `${megabytes}ä€𝄞${megabytes}`],
])('decodes %s, wherever its chunks end', (_, text) => {
  const bytes = Buffer.from(text)
  for (const cut of [0, 1, 7, 3_000_001, 3_000_004, bytes.length]) {
    const parts = [bytes.subarray(0, cut), bytes.subarray(cut)]
    expect(decode(...parts) === text).toBe(true)
  }
})

it('replaces invalid UTF-8', () => {
  expect(decode(Buffer.of(0x22, 0xff, 0x22))).toBe('"\ufffd"')
  expect(decode(Buffer.from(megabytes), Buffer.of(0xe2, 0x82)).slice(-2)).toBe('a\ufffd')
})
