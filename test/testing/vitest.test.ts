import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Project, createProject } from './project.js'

const files = 8
const testsPerFile = 25
const workers = 4

/** Each test expects the chain as left by the file's beforeAll, and changes it. */
const suite = `import { expect } from 'vitest'
import { test } from 'standin/vitest'
import { appendFileSync } from 'node:fs'

const send = (node) =>
  node.request('eth_sendTransaction', [
    { from: node.accounts[0].address, to: node.accounts[1].address, value: '0x1' },
  ])
for (let i = 0; i < ${testsPerFile}; i++) {
  test('fresh ' + i, async ({ node }) => {
    expect(await node.request('eth_blockNumber')).toBe('0x0')
    await send(node)
    expect(await node.request('eth_blockNumber')).toBe('0x1')
    appendFileSync('nodes.txt', node.url + '\\n')
  })
}
`

const others = `import { beforeAll, describe, expect, test as plain } from 'vitest'
import { test, useNode } from 'standin/vitest'

describe('hooks', () => {
  const node = useNode()
  beforeAll(() => node().mine(2))
  for (const name of ['first', 'second']) {
    plain(name, async () => {
      expect(await node().request('eth_blockNumber')).toBe('0x2')
      await node().mine()
    })
  }
})

describe('its own node', () => {
  const node = useNode({ chainId: 5, mode: 'guarded', key: ['first'] })
  plain('has its own options', async () => {
    expect(node().chainId).toBe(5)
    const { url, remove } = await node().createKey()
    const ask = async () => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
      return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status
    }
    expect(await ask()).toBe(200)
    await remove()
    expect(await ask()).toBe(401)
  })
})

let key
test('a key for a test', async ({ node, apiKey }) => {
  key = apiKey.key
  expect(apiKey.url.endsWith(apiKey.key)).toBe(true)
  expect(await node.request('eth_blockNumber')).toBe('0x0')
})
test('another key for another test', ({ apiKey }) => {
  expect(apiKey.key).not.toBe(key)
})
`

let project: Project

beforeAll(async () => {
  const names = Array.from({ length: files }, (_, i) => [`suite${i}.test.js`, suite] as const)
  project = await createProject({
    'package.json': '{"type":"module"}',
    'vitest.config.js': `export default {
  test: { globalSetup: ['standin/vitest/setup'], maxWorkers: ${workers} },
}`,
    'alone.config.js': 'export default { test: { include: ["others.js"] } }',
    'others.js': others,
    ...Object.fromEntries(names),
  })
})

afterAll(() => project.remove())

test('two hundred tests on four workers each find a fresh state', async () => {
  const output = await project.run(['node_modules/vitest/vitest.mjs', 'run', '--reporter=json'])
  const report = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as {
    numPassedTests: number
    numTotalTests: number
  }
  expect(report).toMatchObject({ numPassedTests: files * testsPerFile, numTotalTests: files * testsPerFile })
  const { readFile } = await import('node:fs/promises')
  const urls = new Set((await readFile(`${project.directory}/nodes.txt`, 'utf8')).trim().split('\n'))
  expect(urls.size).toBeGreaterThan(1)
  expect(urls.size).toBeLessThanOrEqual(workers)
})

test('without the global setup each file has a node in its own process', async () => {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'alone.config.js', '--reporter=json']
  const output = await project.run(args)
  expect(output).toContain('"numPassedTests":5')
})
