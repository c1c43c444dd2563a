import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket, { WebSocketServer } from 'ws'
import { seededRandom } from '../../test/support/programs.js'
import { MemoryShare, requestBodies } from '../encoding/memoryShare.js'
import { IncomingMemory } from './incomingMemory.js'
import { takeLongFramesInPieces } from './longFrames.js'

let server: Server
/** Messages received on all connections. */
const received: Buffer[] = []

beforeAll(async () => {
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  server = createServer()
  server.on('upgrade', (request, socket, head) => {
    webSockets.handleUpgrade(request, socket, head, (opened) => {
      const memory = new IncomingMemory(() => opened.terminate())
      takeLongFramesInPieces(opened, memory)
      opened.on('close', () => memory.end())
      opened.on('message', (data: Buffer) => {
        memory.complete()?.()
        received.push(data)
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterAll(() => server.close())

const port = () => (server.address() as AddressInfo).port

async function untilReceived(count: number): Promise<Buffer[]> {
  while (received.length < count) await new Promise((resolve) => setTimeout(resolve, 1))
  return received.splice(0)
}

test('messages of all lengths arrive as sent', async () => {
  const random = seededRandom(5)
  const lengths = [0, 5, 125, 126, 65_535, 65_536, 65_537, 100_001, 300_003, 3, 200_000]
  const messages = lengths.map((length) => Buffer.from(Array.from({ length }, () => random(256))))
  const client = new WebSocket(`ws://127.0.0.1:${port()}/`)
  await once(client, 'open')
  for (const message of messages) client.send(message)
  // Sends fragments, the last of which are long and short.
  for (const message of messages) client.send(message, { fin: message.length === 200_000 })
  const expected = [...messages, Buffer.concat(messages)]
  const arrived = await untilReceived(expected.length)
  expect(arrived.map((message, index) => message.equals(expected[index] as Buffer))).toEqual(
    expected.map(() => true),
  )
  client.terminate()
})

test('a frame arrives intact wherever it is split', async () => {
  const random = seededRandom(6)
  const payload = Buffer.from(Array.from({ length: 70_000 }, () => random(256)))
  const mask = Buffer.from([1, 2, 3, 250])
  const head = Buffer.from('82ff0000000000011170', 'hex')
  const frame = Buffer.concat([head, mask, payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0))])
  for (const cuts of [[1], [9], [12], [14], [15], [14, 17, 30_001], [5, 69_999], [70_013]]) {
    const socket = connect({ port: port(), host: '127.0.0.1' })
    socket.setNoDelay()
    socket.write(
      'GET / HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: Upgrade\r\n' +
        'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    )
    await once(socket, 'data')
    for (const [index, cut] of [...cuts, frame.length].entries()) {
      socket.write(frame.subarray(cuts[index - 1] ?? 0, cut))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect((await untilReceived(1))[0]?.equals(payload)).toBe(true)
    socket.destroy()
  }
})

test('the fragments of a message hold memory until it is complete', async () => {
  const isRoomLeft = (): boolean => {
    const share = new MemoryShare(requestBodies)
    const isGranted = share.hold(2 * 1024 * 1024) === undefined
    share.end()
    return isGranted
  }
  const until = async (state: boolean): Promise<void> => {
    while (isRoomLeft() !== state) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const client = new WebSocket(`ws://127.0.0.1:${port()}/`)
  await once(client, 'open')
  expect(isRoomLeft()).toBe(true)
  const fragment = Buffer.alloc(60_000)
  // More than sixteen megabytes, each byte of which counts four times.
  for (let count = 0; count < 300; count++) client.send(fragment, { fin: false })
  await until(false)
  client.send('', { fin: true })
  expect((await untilReceived(1))[0]?.length).toBe(300 * fragment.length)
  await until(true)
  client.terminate()
})
