import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { findViolations, openPage, originOf, startBrowser } from './browser.js'
import { compileVault, useVault, writeBuild } from './vault.mjs'

let browser: Browser
let node: StandinNode
let places: string[]
beforeAll(async () => {
  const build = await compileVault()
  node = await createNode({ port: 0, ipfsPort: 0, artifacts: await writeBuild(build), network: ['sepolia'] })
  const { vault, failed, client } = await useVault(node.url, build)
  await node.request('anvil_reorg', [1, []])
  await node.request('evm_snapshot', [])
  await client.call({ to: vault, data: '0x06fdde03' })
  const form = new FormData()
  form.append('file', new Blob(['x'.repeat(600_000)]), 'big.txt')
  form.append('file', new Blob(['small']), 'small.txt')
  const added = await fetch(`${node.ipfsUrl}/api/v0/add?wrap-with-directory=true`, {
    method: 'POST',
    body: form,
  })
  const root = (JSON.parse((await added.text()).trim().split('\n').at(-1) ?? '{}') as { Hash: string }).Hash
  const copy = `files/cp?arg=/ipfs/${root}&arg=/shared`
  await fetch(`${node.ipfsUrl}/api/v0/${copy}`, { method: 'POST' })
  await fetch(`${node.controlUrl}/scenarios/flaky-network`, { method: 'POST' })
  await fetch(`${node.controlUrl}/keys/0123456789abcdef0123456789abcdef`, {
    method: 'PUT',
    body: '{"plan":"free"}',
  })
  const [called] = (await (await fetch(`${node.controlUrl}/requests?method=eth_call`)).json()) as {
    id: number
  }[]
  places = [
    'requests',
    `requests/${called?.id}`,
    'requests/cost',
    'chain/blocks',
    'chain/block/5',
    `chain/transaction/${failed}`,
    `chain/call/${called?.id}`,
    'chain/accounts',
    ...['overview', 'functions', 'source', 'storage', 'proof?slot=0'].map(
      (tab) => `chain/account/${vault}/${tab}`,
    ),
    'chain/contracts',
    'files/mfs',
    'files/mfs/shared?file=small.txt',
    'files/pins',
    `files/dag/${root}`,
    'controls/chain',
    'controls/faults',
    'controls/keys',
    'requests?network=sepolia',
    'chain/blocks?network=sepolia',
  ]
  browser = await startBrowser()
})
afterAll(async () => {
  await browser.close()
  await node.stop()
})

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  test('axe finds no violation in any view', async () => {
    const { page, problems, show } = await openPage(browser, originOf(node.url), { colorScheme })
    for (const place of places) {
      await show(place)
      await settled(page)
      expect([place, await findViolations(page)]).toEqual([place, []])
    }
    expect(problems).toEqual([])
  })
})

test('nothing is wider than a screen of 360 pixels', async () => {
  const { page, show } = await openPage(browser, originOf(node.url), {
    viewport: { width: 360, height: 740 },
  })
  for (const place of places) {
    await show(place)
    await settled(page)
    expect([place, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([place, 360])
  }
})

test('the page works by keyboard alone', async () => {
  const { page, show } = await openPage(browser, originOf(node.url))
  await show('requests')
  await page.locator('.table-row').first().waitFor()
  await page.keyboard.press('Tab')
  const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.textContent.trim()')
  expect(await focused()).toBe('Skip to content')
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.id')).toBe('main')
  await page.locator('.table-row').first().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.locator('.table-row[data-index="2"]:focus').waitFor()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary')
  await panel.waitFor()
  await panel.getByRole('button', { name: 'Close' }).focus()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await show('controls/faults')
  const toggle = page.getByRole('switch', { name: 'slow-gateway' })
  await toggle.focus()
  await page.keyboard.press('Space')
  await page.getByRole('switch', { name: 'slow-gateway', checked: true }).waitFor()
})

async function settled(page: Page): Promise<void> {
  await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' })
  // Pictures and lazily loaded parts.
  await page.waitForTimeout(400)
  await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' })
}
