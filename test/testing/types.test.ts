import { expect, test } from 'vitest'
import { build } from '../../scripts/build.mjs'
import { createProject } from './project.js'

const settings = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable', 'ESNext.Disposable'],
    module: 'NodeNext',
    types: ['node'],
  },
  files: ['modules.mts', 'commonJs.cts'],
}

const modules = `import { useNode as useInVitest, test } from 'standin/vitest'
import setup, { createSetup } from 'standin/vitest/setup'
import { useNode as useInNode } from 'standin/node-test'
import { useNode as useInJest } from 'standin/jest'
import { test as page } from 'standin/playwright'
import { standinNetwork } from 'standin/hardhat'
import { createPool, createNode, type TestNode } from 'standin'

const nodes: (() => TestNode)[] = [useInVitest({ chainId: 5 }), useInNode(), useInJest({ hardfork: 'cancun' })]
// @ts-expect-error there is no such option
useInVitest({ chainIdentifier: 5 })
test('typed', async ({ node, apiKey }) => {
  const id: string = await node.snapshot()
  const url: string = apiKey.url
  // @ts-expect-error a snapshot is named by its id
  await node.revert(1n)
  return void [id, url]
})
page('typed', async ({ page, node }) => {
  await page.goto(node.url)
})
const network: { url: string } = standinNetwork({ chainId: 1 })
const pool = createPool({ start: () => createNode(), stop: (node) => node.stop() })
export { nodes, network, pool, setup, createSetup }
`

const commonJs = `import jest = require('standin/jest')
import hardhat = require('standin/hardhat')
const node = jest.useNode({ accounts: 3 })
const balance: Promise<unknown> = node().request('eth_getBalance', [node().accounts[0]?.address, 'latest'])
export = { balance, network: hardhat.standinNetwork() }
`

test(
  'the declarations of the adapters type-check without skipLibCheck, for modules and CommonJS',
  { timeout: 300_000 },
  async () => {
    await build({ log: () => undefined })
    const project = await createProject({
      'package.json': '{}',
      'tsconfig.json': JSON.stringify(settings),
      'modules.mts': modules,
      'commonJs.cts': commonJs,
    })
    try {
      const output = await project
        .run(['node_modules/typescript/bin/tsc', '-p', '.'])
        .catch((error: Error) => error.message)
      // Ignores errors in the declarations of other packages.
      const own = output
        .split('\n')
        .filter((line) => /error/.test(line) && !/^\S*node_modules\/(?!standin)/.test(line))
      expect(own).toEqual([])
    } finally {
      await project.remove()
    }
  },
)
