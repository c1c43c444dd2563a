import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { TorturedNode } from '../node.js'
import {
  SIGNER,
  TARGET,
  address,
  firstRefusal,
  many,
  override,
  refusalOf,
  sendCall,
  type Bomb,
} from './bomb.js'
import { loggers } from './requests.js'

/** Opens a WebSocket connection on which raw frames can be sent. */
async function upgraded(node: TorturedNode): Promise<Socket> {
  const { hostname, port, pathname } = new URL(node.ready.wsUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\nupgrade: websocket\r\nconnection: Upgrade\r\n` +
      'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  const [head] = (await once(socket, 'data')) as [Buffer]
  if (!head.toString('latin1').startsWith('HTTP/1.1 101 ')) throw new Error(`no upgrade: ${head.toString()}`)
  socket.resume()
  return socket
}

/** Unmasked close frame (RFC 6455, section 5.5.1), followed by its code. */
const CLOSE = 0x88

/** Returns the code of a close frame at the end of the received bytes. */
function closeCode(end: Buffer): number | undefined {
  const start = end.lastIndexOf(CLOSE)
  return start < 0 || end[start + 1] !== end.length - start - 2 || end.length < start + 4
    ? undefined
    : end.readUInt16BE(start + 2)
}

/** A bomb that sends raw bytes on a WebSocket connection, and waits some time or until the node closes it. */
function frames(name: string, bytes: () => Buffer, milliseconds = 4000): Bomb {
  return {
    name: `WebSocket: ${name}`,
    async run(node) {
      const socket = await upgraded(node)
      let end = Buffer.alloc(0)
      socket.on('data', (data: Buffer) => (end = Buffer.concat([end, data]).subarray(-200)))
      socket.write(bytes())
      await Promise.race([once(socket, 'close').catch(() => undefined), sleep(milliseconds)])
      socket.destroy()
      const code = closeCode(end)
      if (code !== undefined) return `closed with ${code}`
      return /"error":\{"code":-?\d+,"message":"([^"]*)/.exec(end.toString('latin1'))?.[1]
    },
  }
}

/** A bomb that sends many messages at once on one WebSocket, and waits for all answers. */
function messages(name: string, count: number, message: (index: number) => string): Bomb {
  return {
    name: `WebSocket: ${name}`,
    async run(node, signal) {
      const socket = new WebSocket(node.ready.wsUrl)
      await once(socket, 'open')
      let answers = 0
      let refusal: string | undefined
      const answered = new Promise<void>((resolve) => {
        socket.on('message', (data: Buffer) => {
          refusal ??= refusalOf({ status: 101, text: data.toString('latin1', 0, 1000) })
          if (++answers === count) resolve()
        })
        socket.on('close', (code) => {
          if (answers < count) refusal ??= `closed with ${code} after ${answers} answers`
          resolve()
        })
        signal.addEventListener('abort', () => resolve())
      })
      for (let index = 0; index < count; index++) socket.send(message(index))
      await answered
      socket.terminate()
      return refusal
    },
  }
}

/** Returns the status line of an unsuccessful answer, as a refusal. @param data - arguments of a `data` event */
function refusedHead(data: unknown): string | undefined {
  if (!Array.isArray(data)) return 'no answer'
  const head = (data[0] as Buffer).toString('latin1')
  return head.startsWith('HTTP/1.1 200 ') ? undefined : head.slice(0, head.indexOf('\r\n'))
}

const call = (id: number, method: string, params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
/** Makes a frame of one byte with a mask of zeros. Opcode 1 starts a message, 0 continues it. */
const fragment = (opcode: number, byte: number) => Buffer.from([opcode, 0x81, 0, 0, 0, 0, byte])

/** Bombs of connections. */
export const connections: readonly Bomb[] = [
  frames('a message in a million pieces', () =>
    Buffer.concat([fragment(0x01, 0x5b), ...many(1e6, () => fragment(0x00, 0x20)), fragment(0x80, 0x5d)]),
  ),
  frames('a million empty pieces', () =>
    Buffer.concat([
      Buffer.from('018000000000', 'hex'),
      ...many(1e6, () => Buffer.from('008000000000', 'hex')),
    ]),
  ),
  frames('a million pings', () => Buffer.concat(many(1e6, () => Buffer.from('898000000000', 'hex')))),
  frames('a million pings of 125 bytes', () =>
    Buffer.concat(
      many(200_000, () => Buffer.concat([Buffer.from('89fd00000000', 'hex'), Buffer.alloc(125)])),
    ),
  ),
  frames('a million messages of a bracket', () =>
    Buffer.concat(many(300_000, () => Buffer.from('8181000000005b', 'hex'))),
  ),
  frames('a million messages of a number', () =>
    Buffer.concat(many(300_000, () => Buffer.from('81810000000031', 'hex'))),
  ),
  frames('thirty megabytes of invalid UTF-8', () =>
    Buffer.concat([Buffer.from('81ff0000000001c9c38000000000', 'hex'), Buffer.alloc(3e7, 0xc3)]),
  ),
  frames('thirty megabytes of spaces', () =>
    Buffer.concat([Buffer.from('81ff0000000001c9c38000000000', 'hex'), Buffer.alloc(3e7, 0x20)]),
  ),
  frames('thirty masked megabytes', () =>
    Buffer.concat([Buffer.from('82ff0000000001c9c38001020304', 'hex'), Buffer.alloc(3e7, 0x20)]),
  ),
  messages('twenty thousand small calls', 20_000, (id) => call(id, 'eth_chainId', [])),
  messages('twenty thousand subscriptions', 20_000, (id) => call(id, 'eth_subscribe', ['newHeads'])),
  messages('five thousand subscriptions to logs of many addresses', 1000, (id) =>
    call(id, 'eth_subscribe', [
      'logs',
      { address: many(100, (i) => `0x${(i + 1).toString(16).padStart(40, '0')}`) },
    ]),
  ),
  messages('ten thousand filters', 10_000, (id) => call(id, 'eth_newBlockFilter', [])),
  {
    ...messages('a subscription of a kind of four million lone surrogates', 1, (id) =>
      call(id, 'eth_subscribe', ['\ud800'.repeat(4e6)]),
    ),
    refusal: 'no ',
  },
  messages('a thousand large calls', 100, (id) => call(id, 'eth_getBlockReceipts', ['0x3'])),
  {
    name: 'two thousand subscriptions to logs, a block of many logs, and a thousand blocks',
    async run(node, signal) {
      const sockets = await Promise.all(many(4, () => upgraded(node)))
      const subscription = Buffer.from(call(1, 'eth_subscribe', ['logs', {}]))
      const frame = Buffer.concat([Buffer.from([0x81, 0x80 | subscription.length, 0, 0, 0, 0]), subscription])
      try {
        for (const socket of sockets) socket.write(Buffer.concat(many(500, () => frame)))
        const override = [address(77), loggers['a hundred thousand logs']]
        const refusal =
          (await sendCall(node, 'anvil_setCode', override, signal)) ??
          (await sendCall(node, 'eth_sendTransaction', [
            { from: SIGNER, to: address(77), gas: '0xe4e1c0' },
          ])) ??
          (await sendCall(node, 'anvil_mine', ['0x3e8'], signal))
        await sleep(1500)
        return refusal
      } finally {
        for (const socket of sockets) socket.destroy()
      }
    },
  },
  {
    name: 'five thousand subscriptions to the traces of all blocks',
    prepare: (node) => sendCall(node, 'anvil_mine', ['0x186a0']),
    async run(node) {
      const socket = await upgraded(node)
      const subscription = Buffer.from(call(1, 'debug_subscribe', ['traceChain', '0x0', 'latest']))
      const frame = Buffer.concat([Buffer.from([0x81, 0x80 | subscription.length, 0, 0, 0, 0]), subscription])
      socket.write(Buffer.concat(many(5000, () => frame)))
      await sleep(5000)
      socket.destroy()
      return undefined
    },
  },
  {
    name: 'a thousand calls with four megabytes of memory at once',
    async run(node) {
      // MSTORE at four million, then a loop.
      const calls = [{ to: TARGET, gas: '0xf4240' }, 'latest', override('0x6001623d0900525b5f50600756')]
      return firstRefusal(many(1000, () => sendCall(node, 'eth_call', calls)))
    },
    refusal: 'out of gas',
  },
  {
    name: 'two hundred calls that return four megabytes at once',
    async run(node) {
      // PUSH3 four million, PUSH0, RETURN.
      const calls = [{ to: TARGET }, 'latest', override('0x623d09005ff3')]
      return firstRefusal(many(200, () => sendCall(node, 'eth_call', calls)))
    },
  },
  {
    name: 'fifty calls with memory in a thousand frames at once',
    async run(node) {
      // MSTORE8 at 300,000, then a call of itself with all gas.
      const calls = [
        { to: TARGET, gas: '0x11e1a300' },
        'latest',
        override('0x6001620493e0535f5f5f5f5f305af100'),
      ]
      return firstRefusal(many(50, () => sendCall(node, 'eth_call', calls)))
    },
  },
  {
    name: 'five hundred connections at once',
    async run(node) {
      const { hostname, port, pathname } = new URL(node.ready.url)
      const sockets = await Promise.all(
        many(500, async () => {
          const socket = connect({ host: hostname, port: Number(port) })
          socket.on('error', () => undefined)
          await once(socket, 'connect')
          return socket
        }),
      )
      const body = call(1, 'eth_chainId', [])
      const head = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
      const answers = sockets.map((socket) => once(socket, 'data'))
      for (const socket of sockets) socket.write(head + body)
      const heads = await Promise.all(answers)
      for (const socket of sockets) socket.destroy()
      return heads.map(refusedHead).find((head) => head !== undefined)
    },
  },
  {
    name: 'a thousand WebSockets that open at once',
    async run(node) {
      const sockets = await Promise.all(many(500, () => upgraded(node)))
      for (const socket of sockets) socket.destroy()
      return undefined
    },
  },
  {
    name: 'pipelined requests',
    async run(node) {
      const { hostname, port, pathname } = new URL(node.ready.url)
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => undefined)
      const body = call(1, 'eth_chainId', [])
      const request = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
      const first = once(socket, 'data')
      socket.write(request.repeat(20_000))
      await sleep(1500)
      socket.destroy()
      return refusedHead(await first)
    },
  },
  ...['POST /', 'GET /nothing'].map((line): Bomb => ({
    name: `the shortest pipelined requests: ${line}`,
    async run(node) {
      const { hostname, port } = new URL(node.ready.url)
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => undefined)
      const first = once(socket, 'data')
      socket.write(`${line} HTTP/1.1\r\nhost:a\r\ncontent-length:0\r\n\r\n`.repeat(50_000))
      await sleep(1500)
      socket.destroy()
      return refusedHead(await first)
    },
    refusal: line === 'POST /' ? 'HTTP/1.1 415 ' : 'HTTP/1.1 404 ',
  })),
  ...(
    [
      ['to the gateway', 'GET /ipfs/bafkqaaa'],
      ['to a file operation', 'POST /api/v0/version'],
      ['to the controls', 'GET /_standin/health'],
      ['to the page', 'GET /_standin/page/'],
      ['to an unknown path', 'GET /nothing'],
      ['to an invalid path', 'GET /ipfs/bad'],
    ] as const
  ).map(([name, line]): Bomb => ({
    name: `pipelined requests ${name}`,
    async run(node) {
      const { hostname, port } = new URL(node.ready.url)
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => undefined)
      const first = once(socket, 'data')
      socket.write(`${line} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: 0\r\n\r\n`.repeat(20_000))
      await sleep(1500)
      socket.destroy()
      return refusedHead(await first)
    },
  })),
  ...(
    [
      ['1,500 headers', many(1500, (i) => `h${i}:v\r\n`).join('')],
      ['fifteen kilobytes of headers', many(100, (i) => `x-${i}: ${'v'.repeat(140)}\r\n`).join('')],
    ] as const
  ).map(([name, fields]): Bomb => ({
    name: `a thousand requests of ${name} at once`,
    async run(node) {
      const { hostname, port } = new URL(node.ready.ipfsUrl)
      const sockets = await Promise.all(
        many(1000, async () => {
          const socket = connect({ host: hostname, port: Number(port) })
          socket.on('error', () => undefined)
          await once(socket, 'connect')
          return socket
        }),
      )
      const answers = sockets.map((socket) => once(socket, 'data'))
      for (const socket of sockets) socket.write(`GET /ipfs/bafkqaaa HTTP/1.1\r\nhost: a\r\n${fields}\r\n`)
      const heads = await Promise.all(answers)
      for (const socket of sockets) socket.destroy()
      return refusedHead(heads[0])
    },
    refusal: name.startsWith('1,500') ? 'HTTP/1.1 431 ' : undefined,
  })),
  {
    name: 'a chunked body of single bytes',
    async run(node) {
      const { hostname, port, pathname } = new URL(node.ready.url)
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => undefined)
      const first = once(socket, 'data')
      const text = call(1, 'eth_chainId', [])
      const chunks = `${'1\r\n \r\n'.repeat(1e6)}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
      socket.write(
        `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`,
      )
      const answer = await Promise.race([first, sleep(20_000)])
      socket.destroy()
      return refusedHead(answer)
    },
  },
]
