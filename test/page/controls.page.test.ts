import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { until } from '../support/until.js'
import { type OpenedPage, openPage, originOf, startBrowser } from './browser.js'

const secret = 'a-secret-that-nobody-sees'
const key = '0123456789abcdef0123456789abcdef'
const stranger = '0x00000000000000000000000000000000000000aa'

let browser: Browser
let node: StandinNode
let opened: OpenedPage
beforeAll(async () => {
  node = await createNode({ port: 0, ipfsPort: 0 })
  browser = await startBrowser()
  opened = await openPage(browser, originOf(node.url))
})
afterAll(async () => {
  expect(opened.problems).toEqual([])
  await browser.close()
  await node.stop()
})

async function ask(url: string, method = 'eth_blockNumber'): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
  })
}

test('blocks are mined, and another page shows them immediately', async () => {
  const { page, show } = opened
  const other = await openPage(browser, originOf(node.url))
  await other.show('chain/blocks')
  await show('controls/chain')
  const form = page.getByRole('form', { name: 'Mine', exact: true })
  await form.getByLabel('Blocks').fill('3')
  await form.getByLabel('Seconds apart').fill('100')
  await form.getByRole('button', { name: 'Mine' }).click()
  await other.page.getByRole('row', { name: /^3 / }).waitFor()
  const [second, third] = await Promise.all(
    ['0x2', '0x3'].map((number) => node.request('eth_getBlockByNumber', [number, false])),
  )
  const time = (block: unknown): number => Number((block as { timestamp: string }).timestamp)
  expect(time(third) - time(second)).toBe(100)
  await other.page.context().close()
})

test('manual mode keeps transactions pending, and interval mode mines them', async () => {
  const { page, show } = opened
  await show('controls/chain')
  await page.getByRole('button', { name: 'Manual' }).click()
  await until(async () => (await node.request('anvil_getAutomine', [])) === false)
  const [from] = (await node.request('eth_accounts', [])) as string[]
  await node.request('eth_sendTransaction', [{ from, to: stranger, value: '0x1' }])
  await page.getByText('1 transaction', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Interval', exact: true }).click()
  await page.getByText('0 transactions', { exact: true }).waitFor()
  expect(await node.request('anvil_getIntervalMining', [])).toBe(1)
  await page.getByRole('button', { name: 'Automine' }).click()
  await until(async () => (await node.request('anvil_getAutomine', [])) === true)
})

test('the clock moves, a snapshot restores it, and blocks are removed', async () => {
  const { page, show } = opened
  await show('controls/chain')
  const head = async (): Promise<{ number: string; timestamp: string }> =>
    (await node.request('eth_getBlockByNumber', ['latest', false])) as never
  const before = await head()
  await page.getByRole('button', { name: 'Take a snapshot' }).click()
  const revert = page.getByRole('button', { name: /^Revert to snapshot/ })
  await revert.waitFor()
  const forward = page.getByRole('form', { name: 'Move the clock forward' })
  await forward.getByLabel('Advance by').fill('2')
  await forward.getByLabel('Unit').selectOption({ label: 'days' })
  await forward.getByRole('button').click()
  await until(async () => Number((await head()).timestamp) - Number(before.timestamp) >= 2 * 86400)
  await revert.click()
  await revert.waitFor({ state: 'detached' })
  expect(await head()).toEqual(before)
  await page.getByRole('form', { name: 'Roll back' }).getByRole('button').click()
  await until(async () => Number((await head()).number) === Number(before.number) - 1)
  await page.getByRole('form', { name: 'Reset' }).getByRole('button').click()
  await until(async () => (await head()).number === '0x0')
  await page.getByRole('definition').filter({ hasText: /^0$/ }).waitFor()
})

test('a form keeps what was entered while the chain grows', async () => {
  const { page, show } = opened
  await show('controls/chain')
  const forward = page.getByRole('form', { name: 'Move the clock forward' })
  await forward.getByLabel('Advance by').fill('7')
  await forward.getByLabel('Unit').selectOption({ label: 'days' })
  await node.request('evm_mine', [])
  const { timestamp } = (await node.request('eth_getBlockByNumber', ['latest', false])) as {
    timestamp: string
  }
  await page
    .getByRole('definition')
    .filter({ hasText: String(Number(timestamp)) })
    .waitFor()
  expect(await forward.getByLabel('Advance by').inputValue()).toBe('7')
  expect(await forward.getByLabel('Unit').inputValue()).toBe('86400')
})

test('an account receives a balance and sends without a signature', async () => {
  const { page, show } = opened
  await show('controls/chain')
  const balance = page.getByRole('form', { name: 'Balance' })
  await balance.getByLabel('Address').fill(stranger)
  await balance.getByLabel('ETH').fill('12.5')
  await balance.getByRole('button').click()
  await until(
    async () =>
      BigInt((await node.request('eth_getBalance', [stranger, 'latest'])) as string) === parseEther('12.5'),
  )
  const send = (): Promise<unknown> =>
    node.request('eth_sendTransaction', [{ from: stranger, to: stranger, value: '0x1' }])
  await expect(send()).rejects.toThrow()
  const impersonate = page.getByRole('form', { name: 'Impersonate', exact: true })
  await impersonate.getByLabel('Address').fill(stranger)
  await impersonate.getByRole('button').click()
  const stop = page.getByRole('button', { name: new RegExp(`^Stop impersonating ${stranger}$`, 'i') })
  await stop.waitFor()
  await send()
  await stop.click()
  await page.getByText('Impersonation ended').waitFor()
  await stop.waitFor({ state: 'detached' })
  await expect(send()).rejects.toThrow()
})

test('an outage is turned on and off', async () => {
  const { page, show } = opened
  const outages = async (): Promise<unknown> => (await fetch(`${node.controlUrl}/outages`)).json()
  await show('controls/faults')
  const toggle = page.getByRole('switch', { name: 'Outage of local' })
  await toggle.click()
  await page.getByRole('switch', { name: 'Outage of local', checked: true }).waitFor()
  expect(await outages()).toEqual(['local'])
  await toggle.click()
  await page.getByRole('switch', { name: 'Outage of local', checked: false }).waitFor()
  expect(await outages()).toEqual([])
})

test('a scenario is turned on, counts its hits, and is turned off', async () => {
  const { page, show } = opened
  await show('controls/faults')
  const toggle = page.getByRole('switch', { name: 'rate-limited' })
  await toggle.click()
  await page.getByRole('switch', { name: 'rate-limited', checked: true }).waitFor()
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) statuses.push((await ask(node.url)).status)
  expect(statuses).toEqual([200, 200, 429, 200, 200, 429])
  await page.getByRole('row', { name: /^rate-limited Every third.*\b2\b/ }).waitFor()
  await toggle.click()
  await page.getByRole('switch', { name: 'rate-limited', checked: false }).waitFor()
  expect((await ask(node.url)).status).toBe(200)
})

test('a fault is set from the form, marks the request it hits, and is removed', async () => {
  const { page, show } = opened
  await show('controls/faults')
  const form = page.getByRole('form', { name: 'New fault' })
  await form.getByLabel('Action').selectOption('error')
  await form.getByLabel('Code').fill('-32005')
  await form.getByLabel('Message').fill('set by the page')
  await form.getByLabel('Method').fill('eth_gas*')
  await form.getByLabel('Name').fill('mine')
  await form.getByRole('button', { name: 'Set fault' }).click()
  await page.getByRole('row', { name: /^mine method eth_gas\*/ }).waitFor()
  const answer = (await (await ask(node.url, 'eth_gasPrice')).json()) as { error: unknown }
  expect(answer.error).toEqual({ code: -32005, message: 'set by the page' })
  await page.getByRole('row', { name: /^mine .*\b1 1\b/ }).waitFor()
  await show('requests?method=eth_gasPrice')
  await page.getByRole('row', { name: /-32005\s*with a fault/ }).waitFor()
  await show('controls/faults')
  await page.getByRole('button', { name: 'Remove fault mine' }).click()
  await page.getByText('No faults set', { exact: true }).first().waitFor()
})

test('a key is set with a plan and charged, and its secret is never shown', async () => {
  const guarded = await createNode({ port: 0, ipfsPort: 0, key: [`${key.replaceAll('0', 'f')}:other`] })
  const { page, problems, show } = await openPage(browser, originOf(guarded.url))
  await page.getByRole('button', { name: 'Close' }).click()
  await show('controls/keys')
  const form = page.getByRole('form', { name: 'Set a key' })
  await form.getByLabel('Key', { exact: true }).fill(key)
  await form.getByLabel('Secret').fill(secret)
  await form.getByLabel('Plan').selectOption('free')
  await form.getByRole('button').click()
  await page.getByRole('row', { name: /^0123…ef set free/ }).waitFor()
  const keyed = guarded.url.replace(/\/v3\/.*/, `/v3/${key}`)
  for (let i = 0; i < 3; i++) expect((await ask(keyed)).status).toBe(200)
  await page.getByRole('row', { name: /\b240 of 3,000,000/ }).waitFor()
  await page.getByRole('button', { name: 'Go to the next day' }).click()
  await page.getByRole('row', { name: /0123…ef .*\b0 of 3,000,000/ }).waitFor()
  const { quota } = (await (await fetch(`${guarded.controlUrl}/clocks`)).json()) as {
    quota: { time: string }
  }
  expect(Date.parse(quota.time) - Date.now()).toBeGreaterThan(0)
  const kept = await page.evaluate<string>(
    'JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }, location.href])',
  )
  for (const hidden of [secret, key, 'other'])
    expect(kept).not.toContain(hidden === 'other' ? ':other' : hidden)
  const remove = page.getByRole('form', { name: 'Remove a key' })
  await remove.getByLabel('Key to remove').fill(key)
  await remove.getByRole('button').click()
  await page.getByRole('row', { name: /^0123…ef/ }).waitFor({ state: 'detached' })
  expect((await ask(keyed)).status).toBe(401)
  expect(problems).toEqual([])
  await guarded.stop()
})

test('shows the cassette in use', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cassette-'))
  const path = join(directory, 'run.ndjson')
  const markup = '<img src=x onerror=document.title=1>'
  const calls = Array.from({ length: 30 }, (_, index) => ['eth_getCode', [`0x${100 + index}`, markup]])
  const lines = [['eth_chainId', []], ...calls].map(
    ([method, params]) =>
      `{"call":${JSON.stringify(['rpc', 'local', method, params])},"nth":1,"result":"0x309"}`,
  )
  writeFileSync(path, ['{"cassette":1}', ...lines, ''].join('\n'))
  const { page, show } = opened
  await show('controls/chain')
  const panel = page.getByRole('region', { name: 'Cassette' })
  const use = (method: string, body?: object): Promise<Response> =>
    fetch(`${node.controlUrl}/cassette`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
  await use('PUT', { replay: { path } })
  await panel.getByText('replaying, strict').waitFor()
  await ask(node.url, 'eth_chainId')
  await until(async () => /Answered from the file\s*1/.test(await panel.innerText()))
  expect(await panel.innerText()).toMatch(/Entries\s*31/)
  await panel.getByRole('row', { name: /^eth_chainId \[\] "0x309" 1 1$/ }).waitFor()
  await panel.getByText(markup).first().waitFor()
  await panel.getByRole('button', { name: 'Next entries' }).click()
  await panel.getByRole('row', { name: /0x129/ }).waitFor()
  expect(await panel.getByRole('button', { name: 'Next entries' }).isDisabled()).toBe(true)
  await panel.getByLabel('Filter by method').fill('eth_getC*')
  await panel.getByRole('row', { name: /0x100/ }).waitFor()
  expect(await panel.getByRole('row', { name: /eth_chainId/ }).count()).toBe(0)
  expect(await panel.locator('img').count()).toBe(0)
  await use('DELETE')
  await panel.waitFor({ state: 'detached' })
  rmSync(directory, { recursive: true })
})
