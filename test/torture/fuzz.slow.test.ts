import { connect } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildCommand } from '../support/command.js'
import { startTorturedNode, untilIdle, type TorturedNode } from './node.js'
import { call, postFiles, uploadBody } from './requests.js'
import { ATTEMPTS, MAX_STOP, randomNumbers, rounds, seed } from './settings.js'
import { damage, pick, valueOf, type Random } from './values.js'

const REQUESTS = rounds(300, 2_000_000)
/** Number of requests in progress at a time. */
const AT_ONCE = 16
/** The same of raw connections, most of which only wait for an answer. */
const CONNECTIONS_AT_ONCE = 64
/** Maximum resident memory in bytes. */
const MEMORY_LIMIT = 300 * 2 ** 20
/** Timeout of a request in milliseconds. */
const REQUEST_TIMEOUT = 5000
/** How long to read an answer that never ends, in milliseconds. */
const STREAM_TIMEOUT = 20
const TIME_LIMIT = 4 * 3_600_000

let node: TorturedNode
beforeAll(async () => {
  await buildCommand()
  node = await startTorturedNode()
}, 300_000)

afterAll(async () => {
  expect(await node.stop()).toBe(0)
})

/** Number of requests between checks of the node. */
const BATCH = 1024

/**
 * Sends random requests in batches. After each batch the node must be alive, have reported nothing, have stopped for no
 * longer than {@link MAX_STOP}, and be within its memory limit.
 */
async function fuzz(
  name: string,
  send: (random: Random) => Promise<unknown>,
  atOnce: number = AT_ONCE,
): Promise<void> {
  await untilIdle(node, 60_000)
  let longest = 0
  let first = 0
  let memory = 0
  for (let sent = 0; sent < REQUESTS; sent += BATCH) {
    let least = Infinity
    for (let attempt = 0; attempt < ATTEMPTS && least > MAX_STOP; attempt++) {
      await sendBatch({ first: sent, length: Math.min(BATCH, REQUESTS - sent), atOnce }, send)
      expect(node.isAlive(), `alive after ${sent} requests: ${node.stderr()}`).toBe(true)
      expect(node.stderr(), `standard error after ${sent} requests`).toBe('')
      const measured = await node.measure()
      expect(measured.peakMemory, `memory after ${sent} requests`).toBeLessThan(MEMORY_LIMIT)
      memory = measured.peakMemory
      first = Math.max(first, measured.longest)
      least = Math.min(least, measured.longest)
      if (measured.longest > MAX_STOP) for (const stack of measured.stacks) console.log(stack)
    }
    longest = Math.max(longest, least)
    expect(least, `longest stop in the batch after request ${sent}`).toBeLessThan(MAX_STOP)
  }
  console.log(
    `${REQUESTS} requests: ${name}, longest stop ${longest.toFixed(0)} ms, ${first.toFixed(0)} ms at the first attempt, ` +
      `peak memory ${(memory / 2 ** 20).toFixed(0)} MB`,
  )
}

/**
 * Sends a batch, some requests at a time. The requests depend only on the seed and the number of the first one: each
 * takes its random numbers before it waits.
 */
async function sendBatch(
  { first, length, atOnce }: { first: number; length: number; atOnce: number },
  send: (random: Random) => Promise<unknown>,
): Promise<void> {
  const random = randomNumbers(seed * 1_000_003 + first)
  let sent = 0
  const sendInTurn = async () => {
    while (sent++ < length) await send(random).catch(ignoreConnection)
  }
  await Promise.all(Array.from({ length: atOnce }, sendInTurn))
}

/** Ignores closed connections, by which a node may refuse, and timeouts; any other error is a bug in the test. */
function ignoreConnection(error: unknown): void {
  if (error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')) return
  throw error
}

/** Encodes a value for a URL, which cannot contain a lone surrogate. */
function encoded(value: unknown): string {
  return encodeURIComponent(Buffer.from(String(value)).toString())
}

interface Description {
  methods: { name: string; params: { schema: object; required: boolean }[] }[]
}

/** Methods that run as long as their arguments say, or remove state that others need. */
const unbounded =
  /mine|interval|^rpc|reset|revert|loadState|dumpState|setChainId|rollback|reorg|increaseTime|setNextBlock|setTime|admin_|standin_|stop|setAutomine|verify/i

it('answers random calls of every method', { timeout: TIME_LIMIT }, async () => {
  const { result } = JSON.parse(await call(node, 'rpc.discover', [])) as { result: Description }
  const methods = result.methods.filter(({ name }) => !unbounded.test(name))
  expect(methods.length).toBeGreaterThan(60)
  const crashes = new Map<string, string>()
  await fuzz('JSON-RPC', async (random) => {
    const { name, params } = pick(random, methods)
    const given = params
      .filter(({ required }) => required || random() < 0.7)
      .map(({ schema }) => valueOf(random, schema))
    const text = await call(node, name, given, AbortSignal.timeout(REQUEST_TIMEOUT))
    if (text.includes('method handler crashed')) crashes.set(name, JSON.stringify(given))
  })
  expect(Object.fromEntries(crashes)).toEqual({})
})

interface Operation {
  Name: string
  Subcommands: Operation[] | null
  Options: { Names: string[] }[] | null
}

it('answers random file operations', { timeout: TIME_LIMIT }, async () => {
  const root = JSON.parse(await postFiles(node, 'commands?flags=true')) as Operation
  const operations = flatten(root, '')
  expect(operations.length).toBeGreaterThan(40)
  const cid = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  const args = [
    cid,
    `/ipfs/${cid}/a`,
    '/',
    '/a/b',
    'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
    '',
    '..',
    '%00',
    'k'.repeat(500),
  ]
  await fuzz('file operations', async (random) => {
    const { path, options } = pick(random, operations)
    const query = Array.from(
      { length: Math.floor(random() * 3) },
      () => `arg=${encodeURIComponent(pick(random, args))}`,
    )
    for (const option of options) {
      if (random() < 0.15) query.push(`${option}=${encoded(valueOf(random, undefined))}`)
    }
    const body = random() < 0.6 ? damage(random, uploadBody([['a%2Fb', pick(random, contents)]])) : undefined
    const timeout = path === 'log/tail' ? STREAM_TIMEOUT : REQUEST_TIMEOUT
    await postFiles(node, `${path}?${query.join('&')}`, body, AbortSignal.timeout(timeout))
  })
})

/** dag-pb, dag-cbor with a link, dag-json, a CAR of an empty block, dag-jose, and text. */
const contents = [
  '0a020801',
  'a163666f6fd82a58250001551220' + '00'.repeat(32),
  Buffer.from('{"a":{"/":{"bytes":"AAAA"}}}').toString('hex'),
  '3aa265726f6f747381d82a5825000155122000000000000000000000000000000000000000000000000000000000000000006776657273696f6e01',
  'a2677061796c6f6164582400' +
    '01'.repeat(36) +
    '6a7369676e61747572657381a1697369676e6174757265' +
    '58' +
    '40' +
    '00'.repeat(64),
  Buffer.from('text').toString('hex'),
].map((digits) => Buffer.from(digits, 'hex'))

function flatten(
  { Name, Subcommands, Options }: Operation,
  above: string,
): { path: string; options: string[] }[] {
  const path = above === '' ? Name : `${above}/${Name}`
  const own = {
    path: path.replace(/^ipfs\//, ''),
    options: (Options ?? []).map(({ Names }) => Names[0] ?? ''),
  }
  const below = (Subcommands ?? []).flatMap((operation) => flatten(operation, path))
  return below.length > 0 ? below : [own]
}

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: object }> } }>>
}

it('answers random requests to the controls', { timeout: TIME_LIMIT }, async () => {
  const controls = new URL('/_standin', node.ready.url).href
  const { paths } = (await (await fetch(`${controls}/openapi.json`)).json()) as OpenApi
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { requestBody }]) => ({
      path,
      method: method.toUpperCase(),
      schema: Object.values(requestBody?.content ?? {})[0]?.schema,
    })),
  )
  // Without routes that stay open or that make other requests fail on purpose.
  const usable = routes.filter(({ path }) => !/events|follow|fault|outage|scenario|stop|clock/.test(path))
  expect(usable.length).toBeGreaterThan(10)
  await fuzz('controls', async (random) => {
    const { path, method, schema } = pick(random, usable)
    const filled = path.replace(/\{\w+\}/g, () => encoded(valueOf(random, undefined)).slice(0, 200))
    const response = await fetch(
      `${controls}${filled}?limit=${encoded(valueOf(random, undefined)).slice(0, 50)}`,
      {
        method,
        signal: AbortSignal.timeout(REQUEST_TIMEOUT),
        ...(schema !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(valueOf(random, schema)),
        }),
      },
    )
    await response.arrayBuffer()
    expect(response.status, `${method} ${filled}`).toBeLessThan(600)
  })
})

const heads = [
  'POST /v3/local HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 63\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}    ',
  'POST /v3/local HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n2\r\n":\r\n2\r\n1}\r\n0\r\n\r\n',
  'POST /v3/local HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n{}',
  'GET /ipfs/bafkqaaa HTTP/1.1\r\nhost: localhost\r\nrange: bytes=0-1,5-\r\nif-none-match: *\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: a\r\norigin: null\r\naccess-control-request-method: POST\r\n\r\n',
  'POST /v3/local HTTP/1.1\r\nhost: localhost\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\n\x1f\x8b\x08\x00',
  'GET /ws/v3/local HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
].map((text) => Buffer.from(text, 'latin1'))

/** Sends bytes on a separate connection, and waits briefly for an answer. */
async function sendRaw(url: string, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(bytes)
  await Promise.race([once(socket, 'close'), sleep(20)])
  socket.destroy()
}

it('survives requests that are not HTTP', { timeout: TIME_LIMIT }, () =>
  fuzz(
    'raw HTTP',
    (random) =>
      sendRaw(pick(random, [node.ready.url, node.ready.ipfsUrl]), damage(random, pick(random, heads))),
    CONNECTIONS_AT_ONCE,
  ),
)

const frames = [
  '8180000000007b7d',
  '81bb00000000' + Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}').toString('hex'),
  '81ff000000000000000a0000000030313233343536373839',
  '8882000000000fff',
  '898000000000',
  '0183000000007b7d20',
  'c18300000000aaaaaa',
].map((digits) => Buffer.from(digits, 'hex'))

it('survives WebSocket frames of every kind', { timeout: TIME_LIMIT }, () =>
  fuzz(
    'WebSocket frames',
    (random) => {
      const sent = Array.from({ length: Math.floor(random() * 5) }, () =>
        damage(random, pick(random, frames)),
      )
      return sendRaw(node.ready.url, Buffer.concat([heads.at(-1) as Buffer, ...sent]))
    },
    CONNECTIONS_AT_ONCE,
  ),
)
