import { expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { once } from 'node:events'
import { faultActionSchema } from './faultSchema.js'

test('a close code and reason are accepted exactly if they can be sent', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => socket.on('error', () => undefined))
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`)
  const [accepted] = (await Promise.all([once(server, 'connection'), once(socket, 'open')]))[0] as [WebSocket]
  const canSend = (code: number, reason: string): boolean => {
    try {
      // Twice: after the first frame, ws checks and ignores further ones.
      Reflect.get(accepted, '_sender').close(code, reason, false, () => undefined)
      return true
    } catch {
      return false
    }
  }
  const codes = [1000, 1001, 1003, 1004, 1005, 1006, 1007, 1014, 1015, 1016, 2999, 3000, 4999]
  const reasons = ['', 'x'.repeat(120), 'é'.repeat(60), 'é'.repeat(62)]
  for (const [code, reason] of [
    ...codes.map((code) => [code, ''] as const),
    ...reasons.map((reason) => [1011, reason] as const),
  ]) {
    const { success } = faultActionSchema.safeParse({ type: 'close-websocket', code, reason })
    expect([code, reason, success]).toEqual([code, reason, canSend(code, reason)])
  }
  socket.terminate()
  server.close()
})

test.each(['text/plain\r\nx: y', 'text/plain\n', ''])('the media type %j is refused', (contentType) => {
  expect(faultActionSchema.safeParse({ type: 'status', status: 500, contentType }).success).toBe(false)
})
