import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createReply } from '../rpc/wire.js'
import { ReplyFrames } from './webSocketConnection.js'

function framed(...pieces: (string | Uint8Array)[]): Buffer {
  const stream = new PassThrough({ highWaterMark: 1024 * 1024 })
  const frames = new ReplyFrames(stream)
  frames.write(createReply(pieces))
  frames.flush()
  return stream.read() as Buffer
}

test('"Hello" of RFC 6455, section 5.7', () => {
  expect(framed('Hel', 'lo').toString('hex')).toBe('810548656c6c6f')
})

/** The second byte and the extended length per RFC 6455, section 5.2; 256 and 65,536 are examples of section 5.7. */
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

test('text beyond ASCII next to encoded bytes', () => {
  const payload = Buffer.from('["é","Grüße, 世界 🌍"]')
  const frame = framed('["é",', Buffer.from('"Grüße, 世界 🌍"'), ']')
  expect(frame[1]).toBe(payload.length)
  expect(frame.subarray(2).equals(payload)).toBe(true)
})

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve))

/** Records writes as text, one entry each. */
function writes(): { frames: ReplyFrames; written: string[] } {
  const written: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      written.push(chunk.toString('latin1'))
      done()
    },
  })
  return { frames: new ReplyFrames(stream), written }
}

test('replies of one tick are sent in one write at its end', async () => {
  const { frames, written } = writes()
  for (const text of ['a', 'b', 'c']) frames.write(createReply([text]))
  expect(written).toEqual([])
  await nextTick()
  expect(written).toEqual(['\x81\x01a\x81\x01b\x81\x01c'])
})

test('the eighth reply is sent at once, and later ones at the end of the tick', async () => {
  const { frames, written } = writes()
  for (const text of 'abcdefghij') frames.write(createReply([text]))
  const framed = (texts: string) => [...texts].map((text) => `\x81\x01${text}`).join('')
  expect(written).toEqual([framed('abcdefgh')])
  await nextTick()
  expect(written).toEqual([framed('abcdefgh'), framed('ij')])
})

test('a long reply follows those before it', () => {
  const { frames, written } = writes()
  frames.write(createReply(['a']))
  frames.write(createReply(['x'.repeat(5000)]))
  frames.write(createReply(['b']))
  frames.flush()
  expect(written.join('')).toBe(`\x81\x01a\x81\x7e\x13\x88${'x'.repeat(5000)}\x81\x01b`)
})
