import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../support/server.js'

let running: RunningServer

beforeEach(async () => {
  running = await startServer()
})
afterEach(() => running.server.close())

/** Returns the status of a request with a number of header fields. */
async function statusWith(fields: number): Promise<number> {
  const socket = connect({ port: running.port, host: '127.0.0.1' })
  const others = Array.from({ length: fields - 1 }, (_, index) => `x${index}: 1\r\n`)
  socket.write(`GET /_standin/health HTTP/1.1\r\nhost: localhost\r\n${others.join('')}\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return Number(head.toString('latin1').slice(9, 12))
}

test('answers requests of up to 128 header fields', async () => {
  expect(await statusWith(128)).toBe(200)
  expect(await statusWith(129)).toBe(431)
  expect(await statusWith(1500)).toBe(431)
})
