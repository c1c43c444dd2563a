import { expect, test } from 'vitest'
import { JsonStream } from './ipc.js'

function texts(messages: readonly Uint8Array[]): string[] {
  return messages.map((message) => Buffer.from(message).toString())
}

const messages = [
  '{"id":1,"method":"a"}',
  '[{"id":2},{"id":3}]',
  '{"text":"}{][\\"\\\\","more":{"deep":[[]]}}',
  '{"héllo":"wörld 🙂"}',
]

test.each([1, 2, 3, 7, 1000])('finds messages that arrive %i bytes at a time', (size) => {
  for (const between of ['', '\n', ' \r\n\t']) {
    const bytes = Buffer.from(messages.join(between) + between)
    const stream = new JsonStream()
    const found: string[] = []
    for (let at = 0; at < bytes.length; at += size) {
      found.push(...texts(stream.push(bytes.subarray(at, at + size))))
    }
    expect(found).toEqual(messages)
    expect(stream.pendingBytes).toBe(0)
  }
})

test('counts the bytes of an incomplete message', () => {
  const stream = new JsonStream()
  expect(stream.push(Buffer.from('  {"a":'))).toEqual([])
  expect(stream.pendingBytes).toBe(5)
  expect(texts(stream.push(Buffer.from('1}')))).toEqual(['{"a":1}'])
  expect(stream.pendingBytes).toBe(0)
})

test('passes on input that is not a message', () => {
  expect(texts(new JsonStream().push(Buffer.from('{} oops {}')))).toEqual(['{}', 'oops {}'])
})
