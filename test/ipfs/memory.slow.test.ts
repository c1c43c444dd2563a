import { createCipheriv, createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { buildCommand, startCommand, stopCommand } from '../support/command.js'

const mebibyte = 1024 * 1024
const boundary = 'boundary-4e1c'
let command: Awaited<ReturnType<typeof startCommand>>
/** Peak resident memory of the command's process, in MB of 10^6 bytes. */
let most = 0
let watch: NodeJS.Timeout

beforeAll(buildCommand, 120_000)

beforeEach(async () => {
  command = await startCommand()
  most = 0
  watch = setInterval(() => {
    const status = readFileSync(`/proc/${command.child.pid}/status`, 'utf8')
    most = Math.max(most, (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6)
  }, 20)
})

afterEach(async () => {
  clearInterval(watch)
  await stopCommand(command)
})

/** Posts pieces as fast as they can be sent. */
async function post(path: string, pieces?: Iterable<string | Uint8Array>): Promise<IncomingMessage> {
  const headers = pieces && { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const sending = request(`${command.ready.ipfsUrl}/api/v0/${path}`, { method: 'POST', headers })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve).once('error', reject)
  })
  for (const piece of pieces ?? []) {
    if (!sending.write(piece)) await new Promise((resolve) => sending.once('drain', resolve))
  }
  sending.end()
  return answered
}

async function lastLine(response: IncomingMessage): Promise<{ Hash: string }> {
  let last = ''
  for await (const bytes of response) last = (bytes as Buffer).toString()
  return JSON.parse(last.trim().split('\n').at(-1) ?? '') as { Hash: string }
}

function partHead(name: string): string {
  return (
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
    'Content-Type: application/octet-stream\r\n\r\n'
  )
}

it.skipIf(process.platform !== 'linux')('receives and sends 1 GiB within 300 MB of memory', async () => {
  const sent = createHash('sha256')
  function* body(): Generator<string | Uint8Array> {
    const stream = createCipheriv('chacha20', Buffer.alloc(32, 7), Buffer.alloc(16))
    const zeros = Buffer.alloc(mebibyte)
    yield partHead('large')
    for (let count = 0; count < 1024; count++) {
      const piece = stream.update(zeros)
      sent.update(piece)
      yield piece
    }
    yield `\r\n--${boundary}--\r\n`
  }
  const { Hash } = await lastLine(await post('add', body()))
  const received = createHash('sha256')
  for await (const bytes of await post(`cat?arg=${Hash}`)) received.update(bytes as Buffer)
  expect(received.digest('hex')).toBe(sent.digest('hex'))
  expect(most).toBeLessThan(300)
})

it.skipIf(process.platform !== 'linux')(
  'receives a directory of a million entries within 500 MB',
  async () => {
    const count = 1_000_000
    function* body(): Generator<string> {
      for (let start = 0; start < count; start += 500) {
        const parts = Array.from({ length: 500 }, (_, index) => `${partHead(`d%2F${start + index}`)}x\r\n`)
        yield parts.join('')
      }
      yield `--${boundary}--\r\n`
    }
    const { Hash } = await lastLine(await post('add?silent=true&pin=false', body()))
    const [first = 0] = await readAll(await post(`cat?arg=${Hash}/${count - 1}`))
    expect(String.fromCharCode(first)).toBe('x')
    expect(most).toBeLessThan(500)
  },
)

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const bytes of response) pieces.push(bytes as Buffer)
  return Buffer.concat(pieces)
}
