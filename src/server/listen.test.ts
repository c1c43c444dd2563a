import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { AddressInUseError, createServer, listenOnAll, type Server } from './listen.js'

const opened: Server[] = []

afterEach(() => {
  for (const server of opened.splice(0)) server.close()
})

function create(): Server {
  const server = createServer((request, response) => response.end(request.socket.localAddress), undefined)
  opened.push(server)
  return server
}

async function addressThatAnswers(host: string, port: number): Promise<string> {
  const response = await fetch(`http://${host}:${port}/`, { headers: { connection: 'close' } })
  return response.text()
}

describe('on the loopback addresses', () => {
  it('listens on the same port of both', async () => {
    const { servers, port } = await listenOnAll(create, { hosts: ['127.0.0.1', '::1'], port: 0 })
    expect(servers.map((server) => server.address())).toEqual([
      { address: '127.0.0.1', family: 'IPv4', port },
      { address: '::1', family: 'IPv6', port },
    ])
    expect(await addressThatAnswers('127.0.0.1', port)).toBe('127.0.0.1')
    expect(await addressThatAnswers('[::1]', port)).toBe('::1')
  })

  it('reports which port is taken', async () => {
    const { port } = await listenOnAll(create, { hosts: ['::1'], port: 0 })
    const taken = listenOnAll(create, { hosts: ['127.0.0.1', '::1'], port })
    await expect(taken).rejects.toThrow(AddressInUseError)
    await expect(taken).rejects.toThrow(`[::1]:${port} is already in use`)
  })

  it('does not listen at all if one of the addresses is taken', async () => {
    const { port } = await listenOnAll(create, { hosts: ['::1'], port: 0 })
    await expect(listenOnAll(create, { hosts: ['127.0.0.1', '::1'], port })).rejects.toThrow(
      AddressInUseError,
    )
    const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ECONNREFUSED')
  })
})

it('listens on addresses by name and on all addresses', async () => {
  const named = await listenOnAll(create, { hosts: ['localhost'], port: 0 })
  expect(await addressThatAnswers('localhost', named.port)).toMatch(/^(127\.0\.0\.1|::1)$/)
  const all = await listenOnAll(create, { hosts: ['0.0.0.0'], port: 0 })
  expect(await addressThatAnswers('127.0.0.1', all.port)).toBe('127.0.0.1')
})

// Kubo 0.42.0 answers so too, Go's parser as Node's to what is no method.
it.each([
  ['FOO', 405],
  ['get', 405],
  ['POSTS', 405],
  ['FOO-BAR', 405],
  ['G@T', 400],
  ['(X)', 400],
])('answers the method %s with %i', async (method, status) => {
  const { port } = await listenOnAll(create, { hosts: ['127.0.0.1'], port: 0 })
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  socket.write(`${method} /api/v0/version HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  expect((await socket.toArray()).join('')).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
})
