import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode } from '../../src/index.js'
import { type Project, createProject } from './project.js'

/** Two tests that each start at block 0 and mine one; `load` imports `useNode`, `same` compares. */
const suite = (load: string, same: string): string => `${load}
const node = useNode()
for (const name of ['first', 'second']) {
  test(name, async () => {
    const [from, to] = node().accounts.map(({ address }) => address)
    ${same}(await node().request('eth_blockNumber'), '0x0')
    await node().request('eth_sendTransaction', [{ from, to, value: '0x1' }])
    ${same}(await node().request('eth_blockNumber'), '0x1')
  })
}
`

const playwrightSuite = `import { expect, test } from 'standin/playwright'

for (const name of ['first', 'second']) {
  test(name, async ({ node, apiKey }) => {
    expect(node.chainId).toBe(7)
    expect(await node.request('eth_blockNumber')).toBe('0x0')
    await node.mine()
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(apiKey.url, { method: 'POST', headers, body })
    expect((await response.json()).result).toBe('0x1')
  })
}
`

/** Two tests that read the provider's chain id and balance; `load` imports `useNode` and defines `same`. */
const recordedSuite = (load: string): string => `${load}
const node = useNode({ upstream: process.env.PROVIDER, chainId: 1 }, { cassettes: directory })
const ask = async (method) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const headers = { 'content-type': 'application/json' }
  return (await (await fetch(node().url, { method: 'POST', headers, body })).json()).result
}
describe('recorded', () => {
  test('first', async () => same(await ask('eth_chainId'), '0x1092'))
  test('second', async () => same(await ask('eth_blockNumber'), '0x2'))
})
`

const recordedPage = `import { expect, test } from 'standin/playwright'

test.use({ nodeOptions: [{ upstream: process.env.PROVIDER, chainId: 1 }, { scope: 'worker' }], cassettes: 'tapes/page' })
test('first', async ({ node }) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  expect((await (await fetch(node.url, { method: 'POST', headers, body })).json()).result).toBe('0x1092')
})
`

const jestSame = 'const same = (actual, expected) => expect(actual).toBe(expected)'
let project: Project

beforeAll(async () => {
  project = await createProject({
    'package.json': '{}',
    'jest.config.js': `module.exports = {
  globalSetup: 'standin/jest/setup',
  globalTeardown: 'standin/jest/teardown',
  testMatch: ['**/jest-*.js'],
  maxWorkers: 2,
}`,
    'jest-1.js': suite(`const { useNode } = require('standin/jest')\n${jestSame}`, 'same'),
    'jest-2.js': suite(`const { useNode } = require('standin/jest')\n${jestSame}`, 'same'),
    'alone.config.js': "module.exports = { testMatch: ['**/jest-1.js'] }",
    'module.test.mjs': suite(
      `import { test } from 'node:test'\nimport { equal } from 'node:assert'\nimport { useNode } from 'standin/node-test'`,
      'equal',
    ),
    'playwright.config.mjs': `export default {
  testMatch: '*.spec.mjs', reporter: 'line', workers: 1, use: { nodeOptions: { chainId: 7, mode: 'guarded' } },
}`,
    'page.spec.mjs': playwrightSuite,
    'tapes.config.js': "module.exports = { testMatch: ['**/tapes-jest.js'] }",
    'tapes-jest.js': recordedSuite(
      `const { useNode } = require('standin/jest')\nconst directory = 'tapes/jest'\n${jestSame}`,
    ),
    'tapes.test.mjs': recordedSuite(
      `import { describe, test } from 'node:test'\nimport { equal as same } from 'node:assert'
import { useNode } from 'standin/node-test'\nconst directory = 'tapes/node'`,
    ),
    'tapes.playwright.config.mjs': `export default { testMatch: '*.tape.mjs', reporter: 'line', workers: 1 }`,
    'page.tape.mjs': recordedPage,
    'hardhat.cjs': `process.env.RPC_URL = 'http://127.0.0.1:9/v3/k'
process.env.CHAIN_ID = '5'
console.log(JSON.stringify(require('standin/hardhat').standinNetwork()))`,
  })
})

afterAll(() => project.remove())

test('jest: a node for each worker, from CommonJS', async () => {
  const output = await project.run(['node_modules/jest/bin/jest.js', '--ci'])
  expect(output).toContain('4 passed, 4 total')
})

test('jest: without the global setup a file starts its own process', async () => {
  const args = ['node_modules/jest/bin/jest.js', '--ci', '--config', 'alone.config.js']
  expect(await project.run(args)).toContain('2 passed, 2 total')
})

test('node:test: a node in the process of the file', async () => {
  const output = await project.run(['--test', '--test-reporter=tap', 'module.test.mjs'])
  expect(output).toMatch(/# pass (2|1)\n# fail 0/)
  expect(output).toContain('ok 2 - second')
})

test('Playwright: a node for each worker and a key for each test', async () => {
  const output = await project.run(['node_modules/@playwright/test/cli.js', 'test'])
  expect(output).toContain('2 passed')
})

const runners: [name: string, args: string[], tapes: RegExp[]][] = [
  [
    'jest',
    ['node_modules/jest/bin/jest.js', '--ci', '--config', 'tapes.config.js'],
    [/^recorded-first-/, /^recorded-second-/],
  ],
  ['node', ['--test', 'tapes.test.mjs'], [/^recorded-first-/, /^recorded-second-/]],
  [
    'page',
    ['node_modules/@playwright/test/cli.js', 'test', '--config', 'tapes.playwright.config.mjs'],
    [/^page-tape-mjs-first-/],
  ],
]

test.each(runners)(
  '%s: a cassette for each test, replayed without the provider',
  async (name, args, tapes) => {
    const provider = await createNode({ chainId: 0x1092 })
    await provider.mine(2)
    await project.run(args, { PROVIDER: provider.url })
    await provider.stop()
    const files = (await readdir(join(project.directory, 'tapes', name))).filter((file) =>
      file.endsWith('.ndjson'),
    )
    expect(files.sort()).toEqual(tapes.map((tape) => expect.stringMatching(tape) as string))
    await project.run(args, { PROVIDER: 'http://127.0.0.1:9' })
  },
)

test('hardhat: the network of the environment, from CommonJS', async () => {
  expect(JSON.parse(await project.run(['hardhat.cjs']))).toMatchObject({
    type: 'http',
    url: 'http://127.0.0.1:9/v3/k',
    chainId: 5,
    accounts: 'remote',
  })
})
