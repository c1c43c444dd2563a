import type { Browser } from 'playwright-core'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { until } from '../support/until.js'
import { type OpenedPage, openPage, originOf, longTimeout, startBrowser } from './browser.js'
import { compileVault, useVault, writeBuild } from './vault.mjs'

let browser: Browser
let node: StandinNode
let used: Awaited<ReturnType<typeof useVault>>
let opened: OpenedPage
beforeAll(async () => {
  const build = await compileVault()
  const artifacts = await writeBuild(build)
  node = await createNode({ port: 0, ipfsPort: 0, artifacts, network: ['sepolia'] })
  used = await useVault(node.url, build)
  browser = await startBrowser()
  opened = await openPage(browser, originOf(node.url))
})
afterAll(async () => {
  expect(opened.problems).toEqual([])
  await browser.close()
  await node.stop()
})

interface CallFrame {
  calls?: CallFrame[]
}

test('a transaction shows its input, value flow, state difference, logs and calls', async () => {
  const { page, show } = opened
  const [deposited] = await used.client.getContractEvents({
    address: used.vault,
    abi: used.abi,
    eventName: 'Deposited',
    fromBlock: 0n,
  })
  await show(`chain/transaction/${deposited?.transactionHash}`)
  await page.getByText('deposit()').first().waitFor()
  const text = async (name: string | RegExp): Promise<string> => {
    const region = page.getByRole('region', { name })
    await region.waitFor()
    return region.innerText()
  }
  expect(await text('Value flow')).toContain('5 ETH')
  expect(await text(/^Logs/)).toMatch(new RegExp(`Deposited[^]*amount[^]*${parseEther('5')}`))
  expect(await text(/^State difference/)).toMatch(/0 ETH\s+5 ETH/)

  await show(`chain/transaction/${used.failed}`)
  const root = (await node.request('debug_traceTransaction', [
    used.failed,
    { tracer: 'callTracer' },
  ])) as CallFrame
  const count = ({ calls = [] }: CallFrame): number => calls.reduce((sum, call) => sum + count(call), 1)
  // The view of the previous transaction may still be shown.
  await expect.poll(() => page.locator('.flame-bar').count(), longTimeout).toBe(count(root))
  await page.getByRole('button', { name: 'Tree' }).click()
  await expect.poll(() => page.locator('.call').count(), longTimeout).toBe(count(root))
})

test('blocks appear as they are mined, and a reorganisation is drawn as a branch', async () => {
  const { page, show } = opened
  await node.request('anvil_mine', [4])
  await show('chain/blocks')
  const head = Number(await node.request('eth_blockNumber', []))
  await page.getByRole('row', { name: new RegExp(`^${head} `) }).waitFor()
  const orphan = page.getByRole('link', { name: /removed by a reorganisation/ })
  expect(await orphan.count()).toBe(0)
  const before = (await node.request('eth_getBlockByNumber', ['latest', false])) as { hash: string }
  await node.request('anvil_reorg', [2, []])
  await until(async () => (await orphan.count()) === 2)
  await node.request('anvil_mine', [1])
  await page.getByRole('row', { name: new RegExp(`^${head + 1} `) }).waitFor()
  await orphan.last().click()
  await page.getByText('removed by a reorganisation', { exact: true }).waitFor()
  expect(page.url()).toContain(before.hash)
})

test('the browser checks a proof and detects a wrong node', async () => {
  const { page, show } = opened
  await show(`chain/account/${used.vault}/proof?slot=0`)
  await until(async () => (await page.getByText('all hashes match').count()) === 2)
  await page
    .getByText(`0x${Buffer.from('Reserve').toString('hex')}`)
    .first()
    .waitFor()

  await page.route('**/_standin/rpc/**', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { result?: { accountProof?: string[] } }
    const proof = body.result?.accountProof
    if (proof?.[0] !== undefined) proof[0] = proof[0].replace(/..$/, (end) => (end === '00' ? '01' : '00'))
    await route.fulfill({ response, json: body })
  })
  await page.reload()
  await page.getByText('the hash of a node does not match its parent').waitFor()
  await page.unroute('**/_standin/rpc/**')
})

test('functions of a contract can be called, and changes show immediately', async () => {
  const { page, show } = opened
  const other = await openPage(browser, originOf(node.url))
  await other.show(`chain/account/${used.vault}`)
  await other.page.getByText('4.5 ETH').first().waitFor()
  await show(`chain/account/${used.vault}/functions`)
  const name = page.getByRole('form', { name: 'name()' })
  await name.getByRole('button', { name: 'Read' }).click()
  await name.getByText('Reserve').waitFor()
  const deposit = page.getByRole('form', { name: 'deposit()' })
  await deposit.getByLabel('Value in ETH').fill('1.25')
  await deposit.getByRole('button', { name: 'Send' }).click()
  await deposit.getByRole('link').waitFor()
  await other.page.getByText('5.75 ETH').first().waitFor()
  const withdraw = page.getByRole('form', { name: 'withdraw(uint256)' })
  await withdraw.getByLabel('amount (uint256)').fill('two')
  await withdraw.getByRole('button', { name: 'Send' }).click()
  await withdraw.getByText('expected a whole number').waitFor()
  await other.page.context().close()
})

test('the header selects the network', async () => {
  const { page, show } = opened
  await show('chain/blocks')
  await page.getByLabel('Network').selectOption('sepolia')
  await page.getByText('No block has been mined yet').waitFor()
  expect(await page.getByRole('group', { name: 'Script' }).innerText()).toContain(
    `${originOf(node.url)}/sepolia/v3/`,
  )
  expect(page.url()).toContain('network=sepolia')
  await page.getByLabel('Network').selectOption('local')
  await page
    .getByRole('link', { name: /removed by a reorganisation/ })
    .first()
    .waitFor()
})
