import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../support/server.js'

let running: RunningServer
let socket: Socket
let received: string
/** Paths of requests to the gateway, as they begin and end. */
let steps: string[]

beforeEach(async () => {
  steps = []
  running = await startServer({
    files: {
      async execute({ operation, body }) {
        let text = ''
        if (operation !== 'deaf')
          for await (const chunk of body ?? []) text += Buffer.from(chunk).toString('latin1')
        return { status: 200, headers: {}, body: Buffer.from(`<${text.length}:${text.slice(0, 5)}>`) }
      },
      gateway: {
        async handle({ path }) {
          steps.push(`begins ${path}`)
          await new Promise((resolve) => setImmediate(resolve))
          steps.push(`ends ${path}`)
          return { status: 200, headers: {}, body: Buffer.from(`<${path}>`) }
        },
      },
    },
  })
  socket = connect({ port: running.port, host: '127.0.0.1' })
  received = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  await once(socket, 'connect')
})
afterEach(async () => {
  socket.destroy()
  await running.server.close()
})

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const post = (operation: string) =>
  `POST /api/v0/${operation} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`
const chunks = (text: string) => [...text].map((letter) => `1\r\n${letter}\r\n`).join('')
const answers = () => [...received.matchAll(/<[^>]*>/g)].map(([answer]) => answer)

async function untilAnswered(count: number): Promise<void> {
  while (answers().length < count) await once(socket, 'data')
}

test('requests that come together begin one after another', async () => {
  const paths = Array.from({ length: 1000 }, (_, index) => `/ipfs/${index}`)
  socket.write(paths.map(get).join(''))
  await untilAnswered(paths.length)
  expect(answers()).toEqual(paths.map((path) => `<${path}>`))
  expect(steps).toEqual(paths.flatMap((path) => [`begins ${path}`, `ends ${path}`]))
})

test('a body in chunks of a byte is read as it was sent, and the requests behind it are', async () => {
  const text = 'abcdefghij'.repeat(20_000)
  const upload = `${post('add')}${chunks(text)}0\r\n\r\n`
  socket.write(get('/ipfs/a') + upload + upload + get('/ipfs/b'))
  await untilAnswered(4)
  expect(answers()).toEqual(['</ipfs/a>', '<200000:abcde>', '<200000:abcde>', '</ipfs/b>'])
  socket.write(upload + get('/ipfs/c'))
  await untilAnswered(6)
  expect(answers().slice(4)).toEqual(['<200000:abcde>', '</ipfs/c>'])
})

test('who is answered and goes on sending is cut off, but not before 16 MiB', async () => {
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(post('deaf'))
  await untilAnswered(1)
  const megabyte = `100000\r\n${'x'.repeat(2 ** 20)}\r\n`
  for (let sent = 0; sent < 15; sent++) {
    if (!socket.write(megabyte)) await once(socket, 'drain')
  }
  socket.write(`0\r\n\r\n${get('/ipfs/a')}${post('deaf')}`)
  await untilAnswered(3)
  let sent = 0
  while (!socket.destroyed && sent++ < 64) {
    if (!socket.write(megabyte)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed])
  }
  await closed
})
