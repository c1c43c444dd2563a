import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { receive } from './connection.js'

const server = createServer()
let accepted: Socket
let client: Socket

beforeEach(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const coming = once(server, 'connection') as Promise<[Socket]>
  client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', noDelay: true })
  ;[accepted] = await coming
})
afterEach(async () => {
  client.destroy()
  accepted.destroy()
  server.close()
  await once(server, 'close')
})

/** Collects what is handed over. */
function collect() {
  const parts: string[] = []
  let told: () => void
  return {
    parts,
    take: (part: Buffer) => {
      parts.push(part.toString('latin1'))
      told?.()
    },
    async until(length: number) {
      while (parts.join('').length < length) await new Promise<void>((resolve) => (told = resolve))
      return parts.join('')
    },
  }
}

test.skipIf(process.platform === 'win32')('all parts lie in the same memory', async () => {
  const memory = new Set<ArrayBufferLike>()
  const collected = collect()
  receive(accepted, (part) => {
    memory.add(part.buffer)
    collected.take(part)
  })
  client.write('first')
  await collected.until(5)
  client.write('x'.repeat(300_000))
  expect(await collected.until(300_005)).toBe(`first${'x'.repeat(300_000)}`)
  expect([...memory].map(({ byteLength }) => byteLength)).toEqual([65_536])
})

test('when it has ended the socket is a stream that keeps what it has received', async () => {
  const before = collect()
  const after = collect()
  const end = receive(accepted, before.take)
  client.write('before')
  await before.until(6)
  end()
  accepted.pause()
  accepted.unshift(Buffer.from('again'))
  accepted.on('data', after.take)
  client.write('first')
  accepted.resume()
  await after.until(10)
  client.end('x'.repeat(300_000))
  await once(accepted, 'end')
  expect(after.parts.join('')).toBe(`againfirst${'x'.repeat(300_000)}`)
  expect(before.parts).toEqual(['before'])
})

test('the end of what comes is told', async () => {
  const collected = collect()
  receive(accepted, collected.take)
  client.end('last')
  await once(accepted, 'end')
  expect(collected.parts).toEqual(['last'])
})

test('a socket without the members that Node has now is listened to', async () => {
  const stream = new PassThrough()
  const collected = collect()
  const end = receive(stream, collected.take)
  stream.write('before')
  expect(await collected.until(6)).toBe('before')
  end()
  stream.write('after')
  expect(String((await once(stream, 'data'))[0])).toBe('after')
  expect(collected.parts).toEqual(['before'])
})
