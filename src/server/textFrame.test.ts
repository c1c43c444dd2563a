import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createReply } from '../rpc/reply.js'
import { writeReplyFrame } from './textFrame.js'

function framed(...pieces: (string | Uint8Array)[]): Buffer {
  const stream = new PassThrough({ highWaterMark: 1024 * 1024 })
  writeReplyFrame(stream, createReply(pieces))
  return stream.read() as Buffer
}

test('"Hello", as RFC 6455 has it in section 5.7', () => {
  expect(framed('Hel', 'lo').toString('hex')).toBe('810548656c6c6f')
})

/** The second byte and the extended length of RFC 6455, section 5.2; 256 and 65,536 are examples of section 5.7. */
test.each([
  [0, '00'],
  [125, '7d'],
  [126, '7e007e'],
  [256, '7e0100'],
  [4096, '7e1000'],
  [4097, '7e1001'],
  [65_535, '7effff'],
  [65_536, '7f0000000000010000'],
  [200_000, '7f0000000000030d40'],
])('a reply of %i bytes', (length, size) => {
  const text = 'x'.repeat(length)
  expect(framed(text).toString('latin1')).toBe(Buffer.from(`81${size}`, 'hex').toString('latin1') + text)
})

test('text beyond ASCII, beside bytes that are there already', () => {
  const payload = Buffer.from('["é","Grüße, 世界 🌍"]')
  const frame = framed('["é",', Buffer.from('"Grüße, 世界 🌍"'), ']')
  expect(frame[1]).toBe(payload.length)
  expect(frame.subarray(2).equals(payload)).toBe(true)
})
