import { mkdir } from 'node:fs/promises'
import { chromium } from 'playwright-core'
import { compileVault, useVault, writeBuild } from '../test/page/vault.mjs'
import { findChromium } from './chromium.mjs'
import { prepare } from './prepare.mjs'

/** Takes the screenshots of docs/guides/page.md: each view in both color schemes, with the same traffic every time. */

await prepare()
const { createNode } = await import(new URL('../dist/index.js', import.meta.url).href)
const build = await compileVault()
const node = await createNode({
  port: 0,
  ipfsPort: 0,
  artifacts: await writeBuild(build),
  network: ['sepolia'],
  deterministic: true,
})
const places = await makeTraffic()
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
await mkdir('docs/images/page', { recursive: true })
for (const colorScheme of ['light', 'dark']) {
  const context = await browser.newContext({ viewport: { width: 1120, height: 700 }, colorScheme })
  const page = await context.newPage()
  for (const [name, place] of Object.entries(places)) {
    await page.goto(`${new URL(node.url).origin}/#/${place}`)
    await page.waitForTimeout(1500)
    await page.screenshot({ path: `docs/images/page/${name}-${colorScheme}.png` })
  }
}
await browser.close()
await node.stop()

/** @returns routes to draw by screenshot name */
async function makeTraffic() {
  const { vault, failed, client } = await useVault(node.url, build)
  await node.request('anvil_mine', [6])
  await node.request('anvil_reorg', [3, []])
  await node.request('anvil_mine', [2])
  await node.request('evm_snapshot', [])
  for (let i = 0; i < 12; i++) await client.getBlockNumber({ cacheTime: 0 })
  await client.getBalance({ address: vault })
  await post(`${node.controlUrl}/scenarios/rate-limited`)
  for (let i = 0; i < 6; i++) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: i, method: 'eth_gasPrice', params: [] })
    await fetch(node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  }
  const form = new FormData()
  form.append('file', new Blob(['photo '.repeat(110_000)]), 'photo.bin')
  form.append('file', new Blob(['Notes of a release.\n'.repeat(12)]), 'notes.txt')
  const lines = await (
    await post(`${node.ipfsUrl}/api/v0/add?wrap-with-directory=true&cid-version=1`, form)
  ).text()
  const root = JSON.parse(lines.trim().split('\n').at(-1)).Hash
  await post(`${node.ipfsUrl}/api/v0/files/cp?arg=/ipfs/${root}&arg=/release`)
  const requests = await (await fetch(`${node.controlUrl}/requests?method=eth_sendRawTransaction`)).json()
  return {
    requests: `requests/${requests.at(-1).id}`,
    cost: 'requests/cost',
    chain: 'chain/blocks',
    transaction: `chain/transaction/${failed}`,
    contract: `chain/account/${vault}/functions`,
    proof: `chain/account/${vault}/proof?slot=0`,
    files: 'files/mfs/release?file=notes.txt',
    pins: 'files/pins',
    dag: `files/dag/${root}`,
    controls: 'controls/chain',
    faults: 'controls/faults',
    keys: 'controls/keys',
  }
}

function post(url, body) {
  return fetch(url, { method: 'POST', body })
}
