import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../support/server.js'

let running: RunningServer
let socket: Socket
let received: string
/** Answers that have arrived whole. */
let answered: number
let inProgress: number
let mostInProgress: number

beforeEach(async () => {
  inProgress = mostInProgress = 0
  running = await startServer({
    files: {
      async execute({ body }) {
        let length = 0
        for await (const chunk of body ?? []) length += chunk.length
        return { status: 200, headers: {}, body: Buffer.from(`<${length}>`) }
      },
      gateway: {
        async handle({ path }) {
          mostInProgress = Math.max(mostInProgress, ++inProgress)
          await setImmediate()
          inProgress--
          return { status: 200, headers: {}, body: Buffer.from(`<${path}>`) }
        },
        route: () => Promise.reject(new Error('no request of this test is for routing')),
      },
    },
  })
  socket = connect({ port: running.port, host: '127.0.0.1' })
  received = ''
  answered = 0
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    const text = chunk.toString('latin1')
    received += text
    answered += text.split('>').length - 1
  })
  await once(socket, 'connect')
})
afterEach(async () => {
  socket.destroy()
  await running.server.close()
})

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const post = (body: string) =>
  `POST /api/v0/add HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const answers = () => [...received.matchAll(/<[^>]*>/g)].map(([answer]) => answer)

async function untilAnswered(count: number): Promise<void> {
  while (answered < count) await once(socket, 'data')
}

test('thousands of pipelined requests are answered in order', async () => {
  const paths = Array.from({ length: 10_000 }, (_, index) => `/ipfs/${index}`)
  socket.write(paths.map(get).join(''))
  await untilAnswered(paths.length)
  expect(answers()).toEqual(paths.map((path) => `<${path}>`))
})

test('each of them waits until the one before is answered', async () => {
  socket.write(get('/ipfs/a').repeat(200))
  await untilAnswered(200)
  expect(mostInProgress).toBe(1)
})

test('uploads among them are read completely', async () => {
  const lengths = Array.from({ length: 300 }, (_, index) => 1000 * (index % 200))
  const group = lengths.map((length) => get('/ipfs/a').repeat(5) + post('x'.repeat(length)))
  socket.write(group.join(''))
  await untilAnswered(6 * lengths.length)
  expect(answers().filter((answer) => !answer.includes('ipfs'))).toEqual(
    lengths.map((length) => `<${length}>`),
  )
})
