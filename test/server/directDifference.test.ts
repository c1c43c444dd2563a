import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../../src/provider/faults/faultRegistry.js'
import { createApiKey, noAllowlists } from '../../src/provider/keys/apiKey.js'
import { type RunningServer, startServer } from '../support/server.js'

/*
 * Sends raw requests, well-formed and malformed, to a server that reads plain requests by itself and to one that leaves
 * all of them to node:http and the app. Both must answer with the same bytes.
 */

const requestCount = 10_000
const lanes = 8

const keys = [
  createApiKey('key', 'secret'),
  { ...createApiKey('paged'), allowlists: { ...noAllowlists, origins: ['https://app.example'] } },
  { ...createApiKey('closed'), disabled: true },
]
const servers: { direct: RunningServer; app: RunningServer }[] = []

beforeAll(async () => {
  for (const mode of ['open', 'guarded'] as const) {
    const settings = { provider: { mode, keys }, report: () => undefined }
    const direct = await startServer({ ...settings, acceleration: true })
    const app = await startServer({ ...settings, acceleration: false })
    servers.push({ direct, app })
  }
})
afterAll(() => Promise.all(servers.flatMap(({ direct, app }) => [direct.server.close(), app.server.close()])))

/** Builds requests from a seed. A malformed one is the last of its connection. */
class Generator {
  readonly #draw: () => number

  constructor(seed: number) {
    this.#draw = createRandom(seed)
  }

  next(): { text: string; isLast: boolean } {
    const malformed = this.#happens(0.4)
    const method = this.#happens(0.9)
      ? 'POST'
      : this.#one(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'post', 'GE T'])
    const body = this.#body()
    const lines = [`${method} ${this.#target()} ${this.#happens(0.97) ? 'HTTP/1.1' : this.#one(versions)}`]
    const fields = [...this.#hosts(), this.#contentType()]
    for (let i = 0; i < 4; i++) if (this.#happens(0.3)) fields.push(this.#one(usualFields))
    if (malformed) for (let i = 0; i < 2; i++) if (this.#happens(0.3)) fields.push(this.#one(oddFields))
    lines.push(...this.#shuffled(fields.filter((field) => field !== '')))
    const isChunked = this.#happens(0.03)
    const head = malformed ? this.#mutated(lines.join('\r\n')) : lines.join('\r\n')
    const length =
      malformed && this.#happens(0.1) ? this.#one(oddLengths)(body.length) : `content-length: ${body.length}`
    const framed = isChunked
      ? `transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}${body === '' ? '' : '\r\n0\r\n'}\r\n`
      : `${length}\r\n\r\n${body}`
    return { text: `${head}\r\n${framed}`, isLast: malformed }
  }

  #target(): string {
    const key = this.#one(['key', 'key', 'paged', 'closed', 'unknown'])
    if (this.#happens(0.6)) return this.#one(['/', `/v3/${key}`])
    return this.#one(targets).replace('KEY', key)
  }

  #hosts(): string[] {
    if (this.#happens(0.85)) return ['Host: 127.0.0.1:8545']
    return this.#one([[], ['Host: x', 'Host: y'], ...hosts.map((host) => [`host: ${host}`])])
  }

  #contentType(): string {
    return this.#happens(0.9) ? 'Content-Type: application/json' : this.#one(contentTypes)
  }

  #body(): string {
    const id = this.#one(['1', '"a"', 'null', '1.50', '[]', '9007199254740993'])
    const call = `{"jsonrpc":"2.0","id":${id},"method":"test_echo","params":[${Math.floor(this.#draw() * 1000)}]}`
    if (this.#happens(0.6)) return call
    return this.#one([
      '',
      '[]',
      '{',
      'null',
      '\xff\xfe',
      `[${call},${call}]`,
      ` \n${call}`,
      `${call} and more`,
      '{"jsonrpc":"2.0","method":"test_echo"}',
      '{"jsonrpc":"2.0","id":1,"method":"test_none"}',
      '{"jsonrpc":"2.0","id":1,"method":"test_echo","params":["\xc3\xa9\xe2\x82\xac"]}',
      `{"jsonrpc":"2.0","id":1,"method":"test_echo","params":["${'x'.repeat(12_000)}"]}`,
      `[${Array.from({ length: 11 }, () => call).join()}]`,
      '['.repeat(2000),
    ])
  }

  #mutated(head: string): string {
    if (this.#happens(0.4)) return head
    const at = Math.floor(this.#draw() * head.length)
    const byte = String.fromCharCode(Math.floor(this.#draw() * 256))
    return head.slice(0, at) + byte + head.slice(at + (this.#happens(0.5) ? 1 : 0))
  }

  #happens(probability: number): boolean {
    return this.#draw() < probability
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#draw() * items.length)] as Item
  }

  #shuffled(items: string[]): string[] {
    return items
      .map((item) => ({ item, place: this.#draw() }))
      .sort((a, b) => a.place - b.place)
      .map(({ item }) => item)
  }
}

const versions = ['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', '']
const targets = [
  ...[
    '/v3',
    '/v3/',
    '/v3/KEY/',
    '/v3/KEY?x=1',
    '/v3/KEY?',
    '/ws/v3/KEY',
    '/sepolia',
    '/sepolia/',
    '/sepolia/v3/KEY',
  ],
  ...[
    '/v4/KEY',
    '/v3/KEY/more',
    '/mainnet/v3/KEY',
    '//v3/KEY',
    '/v3//KEY',
    '//',
    '/V3/KEY',
    '/?x',
    '/#x',
    '/v3/KEY#x',
  ],
  ...[
    '/./v3/KEY',
    '/x/../v3/KEY',
    '/v3/.',
    '/v3/..',
    '/v3/%4bEY',
    '/v3/%zz',
    '/%763/KEY',
    '/v3/KEY\\x',
    '/v3\\KEY',
  ],
  ...[
    '/v3/KEY|',
    '/v3/<KEY>',
    '/v3/"KEY"',
    '/v3/`KEY`',
    '/v3/{KEY}',
    '/v3/KEY^',
    '/v3/KEY;x',
    '/v3/k\xe9',
    '/?x="',
    '/:1',
  ],
  ...[
    '/_standin/rpc',
    '/_standin/rpc/sepolia',
    '/_standin/nothing',
    '/api/v0/version',
    '/ipfs/x',
    '/ipfsx',
    '*',
    '',
  ],
  ...['http://127.0.0.1/v3/KEY', 'http://', 'v3/KEY', '/v3/KEY /x'],
]
const hosts = [
  ...[
    'x',
    'sepolia.localhost',
    'SEPOLIA.localhost:1',
    'cid.ipfs.localhost',
    '[::1]:8545',
    '',
    'a b',
    'x:y',
    'x:99999',
  ],
  ...[
    'x/y',
    'x@y',
    'x?y',
    'x#y',
    'EXAMPLE.com',
    'x\xe9',
    '127.1',
    '0x7f.1',
    'x..y',
    '%41',
    'xn--a',
    '\u00ad',
  ],
]
const contentTypes = [
  ...[
    '',
    'content-type: text/plain',
    'content-type: application/json; charset=utf-8',
    'content-type:application/json',
  ],
  ...[
    'content-type: application/jsonx',
    'CONTENT-TYPE: Application/JSON-RPC ;x',
    'content-type: application/json, x',
  ],
]
const usualFields = [
  ...[
    'Accept: */*',
    'User-Agent: test',
    'Accept-Encoding: gzip',
    'Connection: keep-alive',
    'Origin: https://app.example',
  ],
  ...[
    'Origin: http://localhost:3000',
    'Authorization: Basic OnNlY3JldA==',
    'Authorization: Basic Ondyb25n',
    'X-Empty:',
  ],
  ...['Enable-Failover: true', 'Standin-Journal: off', 'Cookie: a=b', 'Content-Encoding: gzip'],
]
const oddFields = [
  ...[
    'Connection: close',
    'Connection: keep-alive, x',
    'Keep-Alive: timeout=1',
    'TE: trailers',
    'Trailer: x',
    'no colon',
  ],
  ...[
    'X-Name : x',
    ' folded',
    'X-Name: \x00',
    'X-Name: \xe9',
    '__proto__: x',
    ': x',
    'X: a\nY: b',
    'X: a\rY: b',
    '\u00e9: x',
  ],
  ...[
    'Accept: a\r\nAccept: b',
    'Origin: x\r\nOrigin: y',
    `X-Long: ${'x'.repeat(17_000)}`,
    'Proxy-Connection: close',
  ],
  ...[
    'Access-Control-Request-Method: POST',
    'constructor: x',
    'Upgrade: h2c',
    'Host: again',
    'Expect: nothing',
  ],
]
const oddLengths: ((length: number) => string)[] = [
  (length) => `content-length: +${length}`,
  (length) => `content-length:  ${length} `,
  (length) => `content-length: 0x${length.toString(16)}`,
  (length) => `content-length: ${length}, ${length}`,
  (length) => `content-length: ${length}\r\ncontent-length: ${length}`,
  (length) => `content-length: ${length}\r\ncontent-length: ${length + 1}`,
  (length) => `content-length: 0000000${length}`,
  () => 'content-length: 99999999999999999999999',
  () => 'content-length: -1',
  () => 'content-length: x',
]

/** A connection to one server for sequential requests. */
class Lane {
  readonly #port: number
  #socket: Socket | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** Returns the bytes of the answer to a request, without its date. */
  async ask(text: string): Promise<string> {
    const socket = await this.#open()
    let received = ''
    const answered = new Promise<void>((resolve) => {
      const onData = (part: Buffer): void => {
        received += part.toString('latin1')
        if (isComplete(received)) resolve()
      }
      socket.on('data', onData)
      socket.on('close', resolve)
    })
    socket.write(text, 'latin1')
    await answered
    for (const event of ['data', 'close']) socket.removeAllListeners(event)
    if (/^connection: close/im.test(received)) this.close()
    return received.replace(/^Date: .*$/im, 'Date')
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #open(): Promise<Socket> {
    if (this.#socket !== undefined && !this.#socket.closed) return this.#socket
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return (this.#socket = socket)
  }
}

function isComplete(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (received.startsWith('HTTP/1.1 204 ')) return end > 0
  const length = /^content-length: (\d+)/im.exec(received.slice(0, end))?.[1]
  if (end < 0 || length === undefined) return received.endsWith('\r\n0\r\n\r\n')
  return received.length >= end + 4 + Number(length)
}

test.each([
  { mode: 'open', place: 0, seed: 1 },
  { mode: 'guarded', place: 1, seed: 2 },
])(
  '$mode: same bytes with and without direct reading',
  async ({ place, seed }) => {
    const { direct, app } = servers[place]!
    const counts = { answered: 0, refused: 0 }
    const runLane = async (lane: number): Promise<void> => {
      const generator = new Generator(seed * 1000 + lane)
      const [first, second] = [new Lane(direct.port), new Lane(app.port)]
      for (let count = 0; count < requestCount / lanes; count++) {
        const { text, isLast } = generator.next()
        const [directly, byApp] = await Promise.all([first.ask(text), second.ask(text)])
        expect({ text, answer: directly }).toEqual({ text, answer: byApp })
        if (directly.startsWith('HTTP/1.1 200 ')) counts.answered += 1
        else counts.refused += 1
        if (isLast) for (const open of [first, second]) open.close()
      }
      first.close()
      second.close()
    }
    await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)))
    expect(counts.answered).toBeGreaterThan(requestCount / 20)
    expect(counts.refused).toBeGreaterThan(requestCount / 20)
  },
  600_000,
)
