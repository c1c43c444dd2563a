import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { type IncomingMessage, type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import type { Subscriptions } from '../rpc/session.js'
import { countTurns, endEverySlice } from '../../test/support/turns.js'
import { WireBytes } from '../rpc/wire.js'
import { type Cassette, type Provider, type ReplayMode, openCassette } from './cassette.js'
import { runToCompletion } from '../encoding/timeSlice.js'
import { CassetteReader } from './cassetteReader.js'
import { CassetteWriter } from './cassetteWriter.js'
import { closeCassette } from './closing.js'
import { linePrefix } from './entry.js'
import type { FileRequest } from './files.js'
import type { CassetteCall, DescribeTransaction } from './rpcMatching.js'
import { RecordedAnswers } from './recordedAnswers.js'
import type { CassetteRules } from './rules.js'

const KEY = 'secret-key-0123456789'

let directory: string
let path: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cassette-'))
  path = join(directory, 'run.ndjson')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** Answer of a provider under test: a value is the result, an Error an error, a number an HTTP status. */
type Answers = (method: string, params: unknown[]) => unknown

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

async function startProvider(answers: Answers): Promise<Provider & { push: (value: unknown) => void }> {
  const sockets = new Set<{ send: (text: string) => void }>()
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      if (request.url?.startsWith('/api/v0/')) {
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify({ path: request.url, bytes: text.length, auth: request.headers.authorization }),
        )
        return
      }
      const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: unknown[] }
      const answer = answers(method, params)
      if (typeof answer === 'number') {
        response.writeHead(answer, { 'content-type': 'text/plain', 'retry-after': '1', 'set-cookie': 'a=b' })
        response.end(`refused at ${request.url}`)
      } else if (answer instanceof Error) {
        response.end(
          JSON.stringify({ jsonrpc: '2.0', id, error: { code: 3, message: answer.message, data: '0x08' } }),
        )
      } else response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answer }))
    })
  })
  new WebSocketServer({ server }).on('connection', (socket) => {
    sockets.add(socket)
    socket.on('message', (data: Buffer) => {
      const { id, method, params } = JSON.parse(data.toString()) as {
        id: number
        method: string
        params: unknown[]
      }
      socket.send(
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          result: method === 'eth_subscribe' ? '0x5ub' : answers(method, params),
        }),
      )
    })
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://user:hidden-password@127.0.0.1:${port}/v3/${KEY}`,
    webSocketUrl: `ws://127.0.0.1:${port}/ws/v3/${KEY}`,
    filesUrl: `http://user:hidden-password@127.0.0.1:${port}`,
    push(value) {
      const params = { subscription: '0x5ub', result: value }
      for (const socket of sockets)
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
    },
  }
}

/** Raw transactions of these tests are JSON: an effect and a hash. */
const describeTransaction: DescribeTransaction = (raw) =>
  JSON.parse(raw) as { does: object; hash: string } as never

function record(provider: Provider, rules: CassetteRules = {}): Promise<Cassette> {
  const { url, webSocketUrl, filesUrl } = provider
  const maskedUrls = [url, webSocketUrl, filesUrl].filter((one) => one !== undefined)
  return openCassette({ path, describeTransaction, maskedUrls, record: { provider, rules } })
}

function replay(mode: ReplayMode = 'strict', provider?: Provider): Promise<Cassette> {
  const settings = { exhaustion: 'repeat', delayScale: 0 } as const
  return openCassette({ path, describeTransaction, maskedUrls: [], replay: { mode, settings, provider } })
}

function call(method: string, params: unknown = [], more: Partial<CassetteCall> = {}): CassetteCall {
  return { network: 'local', method, params, transport: 'http', subscriptions: undefined, ...more }
}

const noOwnAnswer = (): string => {
  throw new Error('the own chain was asked')
}

const ask = (cassette: Cassette, method: string, params?: unknown): Promise<unknown> =>
  answerTo(cassette, call(method, params))

async function answerTo(cassette: Cassette, asked: CassetteCall, own = noOwnAnswer): Promise<unknown> {
  const result = await cassette.call(asked, own)
  return result instanceof WireBytes ? result.parse() : result
}

describe('answers', () => {
  it('replays recorded answers in order, then repeats the last one', async () => {
    let number = 0
    const recording = await record(await startProvider(() => `0x${(number++ >> 1).toString(16)}`))
    const recorded = []
    for (let i = 0; i < 5; i++) recorded.push(await ask(recording, 'eth_blockNumber'))
    await recording.close()
    const playing = await replay()
    const replayed = []
    for (let i = 0; i < 7; i++) replayed.push(await ask(playing, 'eth_blockNumber'))
    await playing.close()
    expect(recorded).toEqual(['0x0', '0x0', '0x1', '0x1', '0x2'])
    expect(replayed).toEqual([...recorded, '0x2', '0x2'])
  })

  it('replays errors with code, message and data', async () => {
    const recording = await record(await startProvider(() => new Error('execution reverted: no')))
    await expect(ask(recording, 'eth_call', [{}])).rejects.toMatchObject({ code: 3 })
    await recording.close()
    await expect(ask(await replay(), 'eth_call', [{}])).rejects.toMatchObject({
      code: 3,
      message: 'execution reverted: no',
      data: '0x08',
    })
  })

  it('replays HTTP refusals with status and body', async () => {
    const recording = await record(await startProvider(() => 429))
    await expect(ask(recording, 'eth_chainId')).rejects.toMatchObject({ refusal: { status: 429 } })
    await recording.close()
    const refusal = { status: 429, contentType: 'text/plain' }
    await expect(ask(await replay(), 'eth_chainId')).rejects.toMatchObject({ refusal })
  })

  it('ignores the order of members and of parallel calls', async () => {
    const recording = await record(await startProvider((_, [call]) => `0x${(call as { to: number }).to}`))
    await Promise.all([1, 2, 3].map((to) => ask(recording, 'eth_call', [{ to, data: '0x' }, 'latest'])))
    await recording.close()
    const playing = await replay()
    const answers = [3, 1, 2].map((to) => ask(playing, 'eth_call', [{ data: '0x', to }, 'latest']))
    expect(await Promise.all(answers)).toEqual(['0x3', '0x1', '0x2'])
  })
})

describe('calls that were not recorded', () => {
  beforeEach(async () => {
    const recording = await record(await startProvider((method) => method))
    await ask(recording, 'eth_getBalance', ['0xaa', 'latest'])
    await recording.close()
  })

  it('are refused in strict mode with the nearest recorded request and the difference', async () => {
    await expect(ask(await replay(), 'eth_getBalance', ['0xbb', 'latest'])).rejects.toThrow(
      'the cassette has no answer to eth_getBalance ["0xbb","latest"]; the nearest recorded request is ' +
        '["0xaa","latest"], which differs in params[0] (recorded "0xaa", requested "0xbb")',
    )
  })

  it('are compared with many recorded ones, of which the nearest is named', async () => {
    const recording = await record(await startProvider((method) => method))
    const members = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, index]))
    await ask(recording, 'eth_call', [{ ...members, k0: 'a', k1: 'b', k2: 'c', k3: 'd' }, 'latest'])
    await ask(recording, 'eth_call', [{ ...members, k7: undefined, more: [1] }, 'latest'])
    await ask(recording, 'eth_call', [{}, 'latest'])
    await recording.close()
    await expect(ask(await replay(), 'eth_call', [members, 'latest'])).rejects.toThrow(
      'which differs in params[0].more (recorded [1], requested nothing), ' +
        'params[0].k7 (recorded nothing, requested 7)',
    )
  })

  it("are answered by the node's own chain in loose mode", async () => {
    const playing = await replay('loose')
    expect(await answerTo(playing, call('eth_getBalance', ['0xbb', 'latest']), () => 'own')).toBe('own')
    expect(await answerTo(playing, call('eth_getBalance', ['0xaa', 'latest']))).toBe('eth_getBalance')
  })

  it('are recorded once and replayed afterwards', async () => {
    const once = await replay('once', await startProvider(() => '0x77'))
    expect(await ask(once, 'eth_getBalance', ['0xbb', 'latest'])).toBe('0x77')
    await once.close()
    const playing = await replay()
    expect(await ask(playing, 'eth_getBalance', ['0xbb', 'latest'])).toBe('0x77')
    expect(await ask(playing, 'eth_getBalance', ['0xaa', 'latest'])).toBe('eth_getBalance')
  })
})

describe('rules', () => {
  it('masks parameters', async () => {
    const rules = { masks: [{ method: 'eth_send*', path: '0.nonce' }] }
    const recording = await record(await startProvider(() => '0x01'), rules)
    await ask(recording, 'eth_sendTransaction', [{ nonce: '0x1', to: '0xaa' }])
    await recording.close()
    const playing = await replay()
    expect(await ask(playing, 'eth_sendTransaction', [{ nonce: '0x9', to: '0xaa' }])).toBe('0x01')
    await expect(ask(playing, 'eth_sendTransaction', [{ nonce: '0x9', to: '0xbb' }])).rejects.toThrow(
      'params[0].to',
    )
  })

  it('pins block tags to the number they first stood for', async () => {
    let head = 16
    const asked: unknown[] = []
    const provider = await startProvider((method, params) => {
      asked.push([method, ...params])
      return method === 'eth_getBlockByNumber' ? { number: `0x${(head++).toString(16)}` } : '0x5'
    })
    const recording = await record(provider, { pinBlockTags: true })
    await ask(recording, 'eth_getBalance', ['0xaa', 'latest'])
    await ask(recording, 'eth_getBalance', ['0xbb', 'latest'])
    await recording.close()
    expect(asked).toEqual([
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getBalance', '0xaa', '0x10'],
      ['eth_getBalance', '0xbb', '0x10'],
    ])
    const playing = await replay()
    expect(await ask(playing, 'eth_getBalance', ['0xbb', 'latest'])).toBe('0x5')
    expect(await ask(playing, 'eth_getBalance', ['0xbb', '0x10'])).toBe('0x5')
  })

  it('matches a send by its effect, and translates its hash', async () => {
    const [recordedHash, sentHash] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
    const send = (hash: string): string => JSON.stringify({ does: { to: '0xaa', value: '0x1' }, hash })
    const answers: Answers = (method) =>
      method === 'eth_sendRawTransaction' ? recordedHash : { transactionHash: recordedHash, status: '0x1' }
    const recording = await record(await startProvider(answers))
    await ask(recording, 'eth_sendRawTransaction', [send(recordedHash)])
    await ask(recording, 'eth_getTransactionReceipt', [recordedHash])
    await recording.close()
    const playing = await replay()
    expect(await ask(playing, 'eth_sendRawTransaction', [send(sentHash)])).toBe(sentHash)
    expect(await ask(playing, 'eth_getTransactionReceipt', [sentHash])).toEqual({
      transactionHash: sentHash,
      status: '0x1',
    })
  })

  it('translates hashes wherever they are in long calls, answers and errors', async () => {
    const [recordedHash, sentHash] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
    const send = (hash: string): string => JSON.stringify({ does: { to: '0xaa' }, hash })
    // Hashes at every distance from the ends of parts, and digits that are no hash because they go on.
    const long = (hash: string): string[] =>
      Array.from(
        { length: 3000 },
        (_, index) => `𝄞${'0x'.repeat(index % 7)}${hash}${index % 3 === 0 ? 'f' : ''}`,
      )
    const expected = long(recordedHash).map((text, index) =>
      index % 3 === 0 ? text : text.replace(recordedHash, sentHash),
    )
    const answers: Answers = (method, params) => {
      if (method === 'eth_sendRawTransaction') return recordedHash
      return method === 'eth_call' ? new Error(long(recordedHash).join(' ')) : params
    }
    const recording = await record(await startProvider(answers))
    await ask(recording, 'eth_sendRawTransaction', [send(recordedHash)])
    await ask(recording, 'debug_traceTransaction', [recordedHash, long(recordedHash)])
    await expect(ask(recording, 'eth_call', [recordedHash])).rejects.toThrow(recordedHash)
    await recording.close()
    const playing = await replay()
    await ask(playing, 'eth_sendRawTransaction', [send(sentHash)])
    expect(await ask(playing, 'debug_traceTransaction', [sentHash, expected])).toEqual([sentHash, expected])
    await expect(ask(playing, 'eth_call', [sentHash])).rejects.toMatchObject({
      code: 3,
      message: expected.join(' '),
      data: '0x08',
    })
  })
})

describe('subscriptions', () => {
  /** Collects notifications. */
  function connection(): Subscriptions & { pushed: unknown[] } {
    const pushed: unknown[] = []
    return {
      pushed,
      open(feed) {
        feed(
          (payload) => pushed.push(new WireBytes(payload).parse()),
          () => true,
        )
        return '0x1d'
      },
      close: () => true,
      disconnect: () => undefined,
    }
  }
  const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 50))
  const subscribe = call('eth_subscribe', ['newHeads'], { transport: 'websocket' })
  const send = call('eth_sendTransaction', [{}], { transport: 'websocket' })

  it('pushes each notification after as many sends as when it was recorded', async () => {
    const provider = await startProvider(() => '0xhash')
    const recording = await record(provider)
    await recording.call({ ...subscribe, subscriptions: connection() }, noOwnAnswer)
    provider.push({ number: '0x1' })
    await settled()
    await recording.call(send, noOwnAnswer)
    provider.push({ number: '0x2' })
    await settled()
    await recording.close()
    const playing = await replay()
    const target = connection()
    expect(await playing.call({ ...subscribe, subscriptions: target }, noOwnAnswer)).toBe('0x1d')
    await settled()
    expect(target.pushed).toEqual([{ number: '0x1' }])
    await playing.call(send, noOwnAnswer)
    await settled()
    expect(target.pushed).toEqual([{ number: '0x1' }, { number: '0x2' }])
  })
})

describe('the IPFS API', () => {
  function upload(boundary: string, content: string): FileRequest {
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="file"\r\n\r\n${content}\r\n--${boundary}--\r\n`
    const pieces = [part.slice(0, 9), part.slice(9)]
    return {
      method: 'POST',
      target: '/api/v0/add?pin=true&cid-version=1',
      headers: {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        authorization: 'Basic c2VjcmV0',
      },
      body: (async function* () {
        for (const piece of pieces) yield Buffer.from(piece)
      })(),
      signal: new AbortController().signal,
    }
  }
  const own = (): never => {
    throw new Error('the own file network was asked')
  }
  const textOf = async ({ body }: { body: Uint8Array | AsyncIterable<Uint8Array> }): Promise<string> => {
    const chunks = []
    for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk)
    return Buffer.concat(chunks).toString('utf8')
  }

  it('replays an upload regardless of its boundary, and refuses other content', async () => {
    const recording = await record(await startProvider(() => ''))
    const answered = await textOf(await recording.files(upload('aaaaaaaaaa', 'hello'), own))
    await recording.close()
    const playing = await replay()
    const masked = answered.replace(/Basic [^"]+/, 'Basic …')
    expect(masked).not.toBe(answered)
    expect(await textOf(await playing.files(upload('bbbbbbbbbb', 'hello'), own))).toBe(masked)
    const refused = await playing.files(upload('bbbbbbbbbb', 'other'), own)
    expect(refused.status).toBe(500)
    expect(await textOf(refused)).toContain(
      'the cassette has no answer to POST /api/v0/add?cid-version=1&pin=true',
    )
  })
})

/** Expected answer whose result is a number. */
const answerOf = (result: number) => ({ entry: { outcome: { resultText: String(result) } } })

describe('the file', () => {
  const recordTwo = async (): Promise<void> => {
    const recording = await record(await startProvider((method) => method))
    await ask(recording, 'eth_chainId')
    await ask(recording, 'eth_blockNumber')
    await recording.close()
  }

  it('contains no key, password or cookie', async () => {
    const recording = await record(
      await startProvider((method) => (method === 'eth_chainId' ? 401 : new Error(`at /v3/${KEY}`))),
    )
    await ask(recording, 'eth_chainId').catch(() => undefined)
    await ask(recording, 'eth_call').catch(() => undefined)
    await recording.close()
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    const text = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join()
    expect(text).toContain('eth_chainId')
    for (const secret of [
      KEY,
      'hidden-password',
      'a=b',
      Buffer.from('user:hidden-password').toString('base64'),
    ]) {
      expect(text).not.toContain(secret)
    }
  })

  it('is identical when the same run is recorded in another order', async () => {
    await recordTwo()
    const first = readFileSync(path, 'utf8')
    const recording = await record(await startProvider((method) => method))
    await ask(recording, 'eth_blockNumber')
    await ask(recording, 'eth_chainId')
    await recording.close()
    expect(readFileSync(path, 'utf8')).toBe(first)
  })

  it('survives a recorder killed in the middle of a line', async () => {
    const recording = await record(await startProvider((method) => method))
    await ask(recording, 'eth_chainId')
    // As a killed process leaves it: not closed, with half a line.
    appendFileSync(path, '{"call":["rpc","local","eth_blo')
    expect(await ask(await replay(), 'eth_chainId')).toBe('eth_chainId')
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(2)
  })

  it.each([
    ['foreign', '{"hello":1}\n', ':1: is not a Standin cassette'],
    ['newer', '{"cassette":2}\n', ':1: is a cassette of version 2; this Standin reads version 1'],
    ['empty', '', ':1: is empty'],
    ['broken', '{"cassette":1}\n{"call":1}\n', ':2: call: expected'],
    ['no JSON', '{"cassette":1}\nhello\n', ':2: is not valid JSON'],
  ])('is refused with its line number if it is %s', async (_, text, message) => {
    writeFileSync(path, text)
    await expect(replay()).rejects.toThrow(`${path}${message}`)
  })

  it('is refused with the line number if it was cut after closing', async () => {
    await recordTwo()
    truncateSync(path, readFileSync(path).length - 5)
    await expect(replay()).rejects.toThrow(`${path}:3: is cut off here`)
  })

  it('is accepted if a line was edited by hand', async () => {
    await recordTwo()
    writeFileSync(path, readFileSync(path, 'utf8').replace('"result":"eth_chainId"', '"result":"0x7a69"'))
    expect(await ask(await replay(), 'eth_chainId')).toBe('0x7a69')
  })

  it('is closed in pieces, with the same result as at once', async () => {
    const count = 1_500
    const writer = CassetteWriter.create(path, { rules: {}, maskedUrls: [] })
    for (let i = 0; i < count; i++) {
      await writer.add(
        linePrefix(['rpc', 'local', 'eth_getCode', [`0x${((i * 7919) % count).toString(16)}`]]),
        { resultText: String(i) },
        1,
      )
    }
    const inOneGo = join(directory, 'in-one-go')
    copyFileSync(path, inOneGo)
    await closeCassette(inOneGo)
    endEverySlice()
    const turns = await countTurns(() => writer.close())
    vi.restoreAllMocks()
    expect(turns).toBeGreaterThan(5)
    expect(readFileSync(path)).toEqual(readFileSync(inOneGo))
  })

  it('replays many answers to one call in turn', async () => {
    const count = 3_000
    const call = ['rpc', 'local', 'eth_blockNumber', []] as const
    const writer = CassetteWriter.create(path, { rules: {}, maskedUrls: [] })
    for (let i = 0; i < count; i++) {
      const after = i < count / 2 ? 0 : 1
      await writer.add(linePrefix(call), { resultText: String(i) }, 1, after)
    }
    await writer.close()
    const reader = await CassetteReader.open(path)
    const parsed = vi.spyOn(reader, 'lineRestAt')
    const answers = await RecordedAnswers.open(reader, { exhaustion: 'repeat', delayScale: 0 })
    const taken = []
    for (let i = 0; i < count; i++) taken.push(await answers.take(call))
    expect(taken.map((one) => one?.answer)).toMatchObject([...Array(count).keys()].map(answerOf))
    expect(await answers.take(call)).toMatchObject({ answer: answerOf(count - 1), place: count + 1 })
    expect(parsed.mock.calls.length).toBeLessThan(4 * count)
    const following = await RecordedAnswers.open(reader, { exhaustion: 'repeat', delayScale: 0 })
    expect(await following.takeAt(call, 0, 'head')).toMatchObject({ answer: answerOf(0) })
    expect(await following.takeAt(call, 0, 'head')).toMatchObject({ answer: answerOf(1) })
    expect(await following.takeAt(call, 1, 'head')).toMatchObject({ answer: answerOf(count / 2) })
    expect(await following.takeAt(call, 1, 'head')).toMatchObject({ answer: answerOf(count / 2 + 1) })
    reader.close()
  })

  it('finds each of many calls, including ones that share a prefix', async () => {
    const recording = await record(await startProvider((_, params) => params[0]))
    const asked = Array.from({ length: 300 }, (_, i) => `0x${(i * 7919).toString(16)}${'f'.repeat(i % 50)}`)
    for (const value of asked) await ask(recording, 'eth_getCode', [value])
    await recording.close()
    const playing = await replay()
    for (const value of asked.toReversed()) expect(await ask(playing, 'eth_getCode', [value])).toBe(value)
    const reader = await CassetteReader.open(path)
    expect([...reader.entries()]).toHaveLength(300)
    reader.close()
  })

  it('finds each line among short and long ones, and no missing line', async () => {
    const writer = CassetteWriter.create(path, { rules: {}, maskedUrls: [] })
    const long = (i: number) => (i === 377 ? 600_000 : i % 29 === 0 ? 40_000 : i % 5 === 0 ? 300 : 0)
    const prefixOf = (i: number) =>
      linePrefix(['rpc', 'local', 'eth_call', [{ data: `0x${'ab'.repeat(long(i))}${i}` }, 'é']])
    for (let i = 0; i < 1000; i++) {
      await writer.add(
        prefixOf(i),
        { resultText: `"${'é'.repeat(i === 403 ? 400_000 : i % 31 === 0 ? 30_000 : 1)}${i}"` },
        1,
      )
    }
    await writer.close()
    const reader = await CassetteReader.open(path)
    const lowerBound = (text: string) => runToCompletion(reader.lowerBound(text))
    const lines = readFileSync(path, 'utf8').split('\n').slice(1, -1)
    const sorted = lines.map((line) => Buffer.from(`${line}\n`))
    const head = readFileSync(path).length - Buffer.concat(sorted).length
    for (let i = 0; i < 1000; i += 13) {
      const offset = lowerBound(prefixOf(i))
      expect(runToCompletion(reader.startsWith(offset, prefixOf(i)))).toBe(true)
      const rest = runToCompletion(reader.lineRestAt(offset, prefixOf(i)))!.rest
      expect(lines).toContain(prefixOf(i) + rest)
      expect(rest).toContain(`${i}"}`)
      const missing = prefixOf(i + 1000)
      const below = Buffer.concat(sorted.filter((line) => line.compare(Buffer.from(missing)) < 0))
      expect(lowerBound(missing)).toBe(head + below.length)
    }
    expect(lowerBound('{"call":["rpc",')).toBe(head)
    expect(lowerBound('{"call":["rpd",')).toBe(readFileSync(path).length)
    reader.close()
  })
})
