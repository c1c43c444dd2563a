import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { encodeFunctionData, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { until } from '../support/until.js'
import { type OpenedPage, openPage, originOf, longTimeout, startBrowser } from './browser.js'
import { compileVault, useVault, writeBuild } from './vault.mjs'

const run = promisify(execFile)
let browser: Browser
let node: StandinNode
let used: Awaited<ReturnType<typeof useVault>>
let opened: OpenedPage
beforeAll(async () => {
  const build = await compileVault()
  node = await createNode({ port: 0, ipfsPort: 0, artifacts: await writeBuild(build) })
  used = await useVault(node.url, build)
  browser = await startBrowser()
  opened = await openPage(browser, originOf(node.url))
})
afterAll(async () => {
  expect(opened.problems).toEqual([])
  await browser.close()
  await node.stop()
})

async function call(method: string, params: unknown[] = []): Promise<void> {
  await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

test('a failing transaction leads from its request to the line that reverts in two clicks', async () => {
  const { page, show } = opened
  await show('requests')
  // The newest transaction is the one that failed.
  await page
    .getByRole('row', { name: /eth_sendRawTransaction/ })
    .first()
    .click()
  await page.getByRole('complementary').getByText('failed', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Open transaction' }).click()
  const source = await readFile(new URL('./contracts/Vault.sol', import.meta.url), 'utf8')
  const line = source.split('\n').findIndex((text) => text.includes('revert LimitExceeded')) + 1
  const here = page.locator('.source .here.failed')
  await here.waitFor()
  expect((await here.innerText()).split(/\s+/).slice(0, 3)).toEqual([
    String(line),
    'revert',
    'LimitExceeded(wanted,',
  ])
  expect(await page.locator('.culprit').innerText()).toContain(
    `LimitExceeded(${parseEther('3')}, ${parseEther('1')}) in Oracle.check`,
  )
})

test('requests appear when they complete, and filters survive a reload', async () => {
  const { page, show } = opened
  await show('requests')
  await page
    .getByRole('row', { name: /eth_sendRawTransaction/ })
    .first()
    .waitFor()
  await call('eth_syncing')
  await page.getByRole('row', { name: /eth_syncing/ }).waitFor()
  await page.getByRole('searchbox', { name: 'Method' }).fill('eth_sendRaw*')
  await page.getByRole('row', { name: /eth_syncing/ }).waitFor({ state: 'detached' })
  const rows = page.locator('.table-row')
  await expect.poll(() => rows.count(), longTimeout).toBe(5)
  await page.reload()
  await expect.poll(() => rows.count(), longTimeout).toBe(5)
  await page.getByRole('searchbox', { name: 'Search' }).fill('2e1a7d4d')
  // The selector is in both withdrawals, and in the code of the vault.
  await until(async () => (await rows.count()) === 3)
})

test('typing continues while the URL updates from earlier input', async () => {
  const { page, show } = opened
  await show('requests')
  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.waitFor()
  // After each change of the URL, the next key follows before the page is redrawn.
  await page.evaluate(`
    const keys = [...'o code']
    const replace = history.replaceState
    history.replaceState = (...state) => {
      replace.apply(history, state)
      setTimeout(() => {
        const key = keys.shift()
        if (key === undefined) history.replaceState = replace
        else document.execCommand('insertText', false, key)
      })
    }
  `)
  await search.focus()
  await page.keyboard.type('n')
  await until(() => Promise.resolve(new URL(page.url()).hash === '#/requests?text=no+code'))
  expect(await search.inputValue()).toBe('no code')
  await page.getByText('No requests match these filters').waitFor()
  await page.getByRole('link', { name: 'Show all requests' }).click()
  await page.locator('.table-row').first().waitFor()
  expect(await search.inputValue()).toBe('')
})

test('a call and its error are decoded with the ABI', async () => {
  const { page, show } = opened
  const data = encodeFunctionData({ abi: used.abi, functionName: 'withdraw', args: [parseEther('4')] })
  await call('eth_call', [{ from: used.client.account.address, to: used.vault, data }, 'latest'])
  await show('requests?method=eth_call&failed=true')
  await page
    .getByRole('row', { name: /execution reverted/ })
    .first()
    .click()
  const panel = page.getByRole('complementary')
  await panel.getByText('withdraw(uint256)').waitFor()
  await panel
    .getByText('Underflow')
    .or(panel.getByText(/Panic/))
    .or(panel.getByText('LimitExceeded'))
    .first()
    .waitFor()
  expect(await panel.innerText()).toContain(String(parseEther('4')))
  await panel.getByRole('link', { name: 'Trace this call' }).click()
  await page.locator('.source .here.failed').waitFor()
})

test('a request is resent, and copied as runnable code', async () => {
  const { page, show } = opened
  await call('eth_getBalance', [used.vault, 'latest'])
  await show('requests?method=eth_getBalance')
  const rows = page.locator('.table-row')
  await rows.first().click()
  await page.getByRole('button', { name: 'Send again' }).click()
  await until(async () => (await rows.count()) === 2)

  const copied = async (name: string): Promise<string> => {
    await page.getByRole('button', { name, exact: true }).click()
    await until(async () =>
      (await page.evaluate<string>('navigator.clipboard.readText()')).includes(marks[name]!),
    )
    return page.evaluate<string>('navigator.clipboard.readText()')
  }
  const marks: Record<string, string> = { curl: 'curl ', viem: "'viem'", ethers: "'ethers'" }
  const balance = parseEther('4.5')
  const { stdout } = await run('sh', ['-c', await copied('curl')])
  expect(BigInt((JSON.parse(stdout) as { result: string }).result)).toBe(balance)
  for (const library of ['viem', 'ethers']) {
    // In this directory, so that the libraries resolve.
    const script = fileURLToPath(new URL(`./copied-${library}.mjs`, import.meta.url))
    await writeFile(script, `${await copied(library)}\nprocess.exit(0)\n`)
    const answer = await run(process.execPath, [script]).finally(() => rm(script))
    expect(BigInt(answer.stdout.trim())).toBe(balance)
  }
})

test('the cost view agrees with the control API', async () => {
  const { page, show } = opened
  const { credits, byMethod } = (await (await fetch(`${node.controlUrl}/usage`)).json()) as {
    credits: number
    byMethod: Record<string, { credits: number }>
  }
  await show('requests/cost')
  await page.getByText(credits.toLocaleString('en-US'), { exact: true }).first().waitFor()
  const row = page.getByRole('row', { name: /^eth_sendRawTransaction/ })
  expect(await row.innerText()).toContain(String(byMethod['eth_sendRawTransaction']?.credits))
  await page.getByRole('meter', { name: 'free: credits per second' }).waitFor()
})
