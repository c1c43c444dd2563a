import type { Browser, Page } from 'playwright-core'
import { encodeDeployData } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { openPage, originOf, startBrowser } from './browser.js'
import { clientOf, compileVault, writeBuild } from './vault.mjs'

const markup = `<img src=x onerror="globalThis.injected=1"><script>globalThis.injected=1</script>`
const key = 'fedcba9876543210fedcba9876543210'
const secret = 'opens-the-guarded-node'

let browser: Browser
let node: StandinNode
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

async function countInjected(page: Page): Promise<unknown> {
  return page.evaluate(
    `[globalThis.injected ?? 0, document.querySelectorAll('main img, main script, main [onerror]').length]`,
  )
}

test('markup in names of contracts, files, logs, requests and errors stays text', async () => {
  const build = await compileVault()
  const { Vault, Oracle } = build.output.contracts['contracts/Vault.sol']
  build.output.contracts['contracts/Vault.sol'] = { Oracle, [markup]: Vault }
  node = await createNode({ port: 0, ipfsPort: 0, artifacts: await writeBuild(build) })
  const client = clientOf(node.url)
  const name = 'Vault' in build.output.contracts['contracts/Vault.sol'] ? 'Vault' : markup
  const data = encodeDeployData({
    abi: Vault.abi,
    bytecode: `0x${Vault.evm.bytecode.object}`,
    args: [client.account.address, markup],
  })
  const deployment = await client.wallet.sendTransaction({ data })
  const { contractAddress: vault } = await client.waitForTransactionReceipt({ hash: deployment })
  const call = async (method: string, params: unknown[]): Promise<void> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: markup, method, params })
    await fetch(node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  }
  await call(markup, [markup])
  await call('eth_call', [{ to: vault, data: '0x06fdde03' }, 'latest'])
  // Runtime code that logs the markup: the data of an event without an ABI.
  const hex = Buffer.from(markup).toString('hex')
  const size = (hex.length / 2).toString(16).padStart(4, '0')
  const logging = `0x61${size}600c60003961${size}6000a000${hex}`
  const logged = await client.wallet.sendTransaction({ data: logging as `0x${string}` })
  await client.waitForTransactionReceipt({ hash: logged })
  const form = new FormData()
  form.append('file', new Blob([markup]), 'page.html')
  const answer = await fetch(`${node.ipfsUrl}/api/v0/add?pin-name=${encodeURIComponent(markup)}`, {
    method: 'POST',
    body: form,
  })
  const { Hash } = (await answer.json()) as { Hash: string }
  const fileName = markup.replaceAll('/', '∕')
  const target = new URLSearchParams([
    ['arg', `/ipfs/${Hash}`],
    ['arg', `/${fileName}`],
  ])
  await fetch(`${node.ipfsUrl}/api/v0/files/cp?${target}`, { method: 'POST' })
  await fetch(`${node.controlUrl}/faults`, {
    method: 'POST',
    body: JSON.stringify({
      id: markup,
      match: { method: markup },
      action: { type: 'error', code: 1, message: markup },
    }),
  })
  await call(markup, [])

  const { page, problems, show } = await openPage(browser, originOf(node.url))
  const ids = (await (await fetch(`${node.controlUrl}/requests`)).json()) as { id: number; method: string }[]
  const ofMethod = (method: string): number | undefined => ids.find((entry) => entry.method === method)?.id
  const places: [place: string, text: string][] = [
    ['requests', markup.slice(0, 20)],
    [`requests/${ofMethod(markup)}`, markup],
    [`requests/${ofMethod('eth_call')}`, markup],
    ['chain/contracts', name],
    [`chain/account/${vault}/functions`, name],
    [`chain/transaction/${logged}`, hex.slice(0, 40)],
    ['files/mfs', fileName.slice(0, 20)],
    [`files/mfs?file=${encodeURIComponent(fileName)}`, fileName],
    ['files/pins', markup.slice(0, 20)],
    [`files/dag/${Hash}`, Hash],
    ['controls/faults', markup],
    [`requests?text=${encodeURIComponent(markup)}`, markup.slice(0, 20)],
    [`chain/account/${encodeURIComponent(markup)}`, ''],
    [`files/dag/${encodeURIComponent(markup)}`, markup],
    [`chain/block/${encodeURIComponent(markup)}`, ''],
  ]
  for (const [place, text] of places) {
    await show(place)
    await page.locator('main').filter({ hasText: text }).waitFor()
    expect([place, await countInjected(page)]).toEqual([place, [0, 0]])
  }
  // Notices are text too.
  await show('controls/faults')
  await page.getByRole('button', { name: `Remove fault ${markup}` }).click()
  await page.getByText(`Fault ${markup} removed`).waitFor()
  expect(await countInjected(page)).toEqual([0, 0])
  expect(problems).toEqual([])
  await node.stop()
})

test('the page loads only its own files, and only from its own origin', async () => {
  node = await createNode({ port: 0, ipfsPort: 0 })
  const origin = originOf(node.url)
  for (const path of ['/', '/_standin/page/']) {
    const response = await fetch(`${origin}${path}`, { headers: { accept: 'text/html' } })
    expect([path, response.status]).toEqual([path, 200])
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'/)
    expect(policy).not.toMatch(/unsafe|\s\*/)
    const html = await response.text()
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=|https?:\/\//)
  }
  const { page, show } = await openPage(browser, origin)
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  for (const place of ['requests', 'chain', 'files', 'controls']) {
    await show(place)
    await page.reload()
    await page.getByRole('navigation', { name: 'Views' }).waitFor()
  }
  expect(requested.length).toBeGreaterThan(4)
  expect(requested.filter((url) => !url.startsWith(`${origin}/`))).toEqual([])
  // The browser enforces the policy.
  const blocked = await page.evaluate<string>(`(() => {
    const script = document.createElement('script')
    try { script.textContent = 'globalThis.injected = 1' } catch (error) { return error.name }
    document.body.append(script)
    return String(globalThis.injected)
  })()`)
  expect(blocked).toBe('TypeError')
  await node.stop()
})

test('the page asks for the key and secret of a strict node, and never shows them', async () => {
  node = await createNode({ port: 0, ipfsPort: 0, key: [`${key}:${secret}`], mode: 'strict' })
  const { page, problems, show } = await openPage(browser, originOf(node.url))
  const dialog = page.getByRole('dialog', { name: 'Key and secret' })
  await dialog.getByLabel('Key', { exact: true }).fill(key.replace('f', '0'))
  await dialog.getByLabel('Secret').fill(secret)
  await dialog.getByRole('button', { name: 'Use this key' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Key', { exact: true }).fill(key)
  await dialog.getByRole('button', { name: 'Use this key' }).click()
  await dialog.waitFor({ state: 'detached' })
  await show('files')
  await page.getByText('No pins yet').waitFor()
  await show('requests')
  const everything = await page.evaluate<string>(
    'JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }, location.href, document.cookie])',
  )
  expect(everything).not.toContain(secret)
  expect(everything).not.toContain(key)
  for (const path of ['/node', '/keys', '/requests', '/events', '/usage']) {
    const reader = (await fetch(`${node.controlUrl}${path}`)).body!.getReader()
    const first = Buffer.from((await reader.read()).value ?? []).toString()
    await reader.cancel()
    expect([path, first.includes(secret), first.includes(key)]).toEqual([path, false, false])
  }
  expect(problems).toEqual([])
  await node.stop()
})
