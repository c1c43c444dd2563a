import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StandinNode, createNode } from '../../src/index.js'
import { form } from './support.js'

let node: StandinNode
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

beforeAll(async () => {
  node = await createNode({ port: 0, ipfsPort: 0 })
})

afterAll(async () => {
  agent.destroy()
  await node.stop()
})

interface Sent {
  body?: Uint8Array
  headers?: Record<string, string>
}

/** Sends an operation over the agent's single connection. */
function send(operation: string, { body, headers = {} }: Sent = {}) {
  return new Promise<{ status: number | undefined; isReused: boolean }>((resolve, reject) => {
    const target = `${node.ipfsUrl}/api/v0/${operation}`
    const outgoing = request(target, { agent, method: 'POST', headers }, (incoming) => {
      const answer = { status: incoming.statusCode, isReused: outgoing.reusedSocket }
      incoming.resume().once('end', () => resolve(answer))
    })
    outgoing.once('error', reject).end(body)
  })
}

test.each([
  ['an unknown hash', 'add?hash=blake2s-160', 500],
  ['an option that is not a number', 'add?chunker=size-x', 500],
  ['a file that is not a CAR', 'dag/import', 500],
])('a connection stays usable after an upload with %s', async (_, operation, status) => {
  const upload = form([{ name: 'f', content: randomBytes(3_000_000) }])
  expect(await send(operation, upload)).toMatchObject({ status })
  expect(await send('id')).toEqual({ status: 200, isReused: true })
})
