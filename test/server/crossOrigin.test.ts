import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'

let node: StandinNode
beforeAll(async () => {
  node = await createNode({ port: 0, ipfsPort: 0 })
})
afterAll(() => node.stop())

const foreign = ['https://app.example', 'http://localhost.example', 'http://127.0.0.1.example:8545', 'null']

test.each(foreign)('a page of %s cannot call any control', async (origin) => {
  for (const path of [
    'health',
    'requests',
    'keys',
    'faults',
    'usage',
    'metrics',
    'openapi.json',
    'node',
    'events',
    'no-such',
  ]) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const headers = { origin, 'access-control-request-method': 'DELETE' }
      const response = await fetch(new URL(`/_standin/${path}`, node.url), { method, headers })
      await response.arrayBuffer()
      expect(response.status, `${method} ${path}`).toBe(403)
      expect(response.headers.get('access-control-allow-origin'), `${method} ${path}`).toBeNull()
    }
  }
})

test.each(foreign)('a page of %s cannot call any file operation', async (origin) => {
  for (const path of [
    'add',
    'files/write?arg=/a&create=true',
    'pin/rm?arg=bafkqaaa',
    'repo/gc',
    'config/show',
  ]) {
    const response = await fetch(new URL(`/api/v0/${path}`, node.ipfsUrl), {
      method: 'POST',
      headers: { origin },
    })
    await response.arrayBuffer()
    expect(response.status, path).toBe(403)
    expect(response.headers.get('access-control-allow-origin'), path).toBeNull()
  }
})

interface Description {
  methods: { name: string; params: { name: string }[] }[]
}

test('no method takes a path as an argument', async () => {
  const response = await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}',
  })
  const { methods } = ((await response.json()) as { result: Description }).result
  expect(methods.length).toBeGreaterThan(100)
  const named = methods.flatMap(({ name, params }) => params.map((parameter) => `${name}(${parameter.name})`))
  expect(named.filter((text) => /path|file|directory|folder/i.test(text))).toEqual([])
})
