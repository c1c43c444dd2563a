import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { until } from '../support/until.js'
import { type OpenedPage, openPage, originOf, longTimeout, startBrowser } from './browser.js'

const run = promisify(execFile)
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

async function api(operation: string, files: Record<string, string> = {}): Promise<string> {
  const form = new FormData()
  for (const [path, content] of Object.entries(files)) {
    form.append('file', new Blob([content]), encodeURIComponent(path))
  }
  const body = Object.keys(files).length === 0 ? null : form
  return (await fetch(`${node.ipfsUrl}/api/v0/${operation}`, { method: 'POST', body })).text()
}

test('a file is dropped, pinned, unpinned and collected', async () => {
  const { page, show } = opened
  await show('files/mfs')
  await page.getByText('No files yet').waitFor()
  const content = 'dropped on the page\n'.repeat(20)
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([${JSON.stringify(content)}], 'dropped.txt'))
    return transfer
  })()`)
  await page
    .getByRole('region', { name: 'Directory', exact: true })
    .dispatchEvent('drop', { dataTransfer: transfer })
  const row = page.getByRole('row', { name: /^dropped\.txt/ })
  await row.waitFor()
  const planned = JSON.parse(await api('add?only-hash=true&cid-version=1', { 'dropped.txt': content })) as {
    Hash: string
  }
  expect(await api('cat?arg=/ipfs/' + planned.Hash)).toBe(content)
  await row.click()
  const panel = page.getByRole('complementary', { name: 'dropped.txt' })
  await panel.getByText('recursive', { exact: true }).waitFor()
  expect(await page.frameLocator('iframe').locator('body').innerText()).toContain('dropped on the page')

  await panel.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No files yet').waitFor()
  await show('files/pins')
  await page.getByRole('button', { name: `Unpin ${planned.Hash}` }).click()
  await page.getByText('No pins yet').waitFor()
  await page.getByText(/ in [1-9]\d* blocks?$/).waitFor()
  await page.getByRole('button', { name: 'Collect garbage' }).click()
  await page.getByText('0 B in 0 blocks').waitFor()
  expect(await api(`block/stat?arg=${planned.Hash}&offline=true`)).toContain('"Type":"error"')
})

test('MFS is shown as a tree, and directories are created in it', async () => {
  const { page, show } = opened
  await api('files/mkdir?arg=/one/two/three&parents=true')
  await api('files/write?arg=/one/two/three/leaf.txt&create=true', { leaf: 'a leaf' })
  await show('files/mfs/one/two')
  const tree = page.getByRole('navigation', { name: 'Directories' })
  await tree.getByRole('link', { name: 'two' }).and(page.locator('[aria-current]')).waitFor()
  await tree.getByRole('button', { name: 'Expand three' }).waitFor()
  await page.getByRole('row', { name: /three/ }).click()
  await page.getByRole('row', { name: /leaf\.txt/ }).waitFor()
  await page.getByLabel('Name of a new directory').fill('made here')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('row', { name: /made here/ }).waitFor()
  const { Entries } = JSON.parse(await api('files/ls?arg=/one/two/three')) as { Entries: { Name: string }[] }
  expect(Entries.map(({ Name }) => Name).sort()).toEqual(['leaf.txt', 'made here'])
})

test('a file is renamed, and a directory is moved and removed with its contents', async () => {
  const { page, show } = opened
  await api('files/mkdir?arg=/drafts/old&parents=true')
  await api('files/write?arg=/drafts/old/note.txt&create=true', { note: 'a note' })
  await show('files/mfs/drafts/old?file=note.txt')
  const panel = page.getByRole('complementary', { name: 'note.txt' })
  await panel.getByLabel('Path').fill('/drafts/old/renamed.txt')
  await panel.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('row', { name: /^renamed\.txt/ }).waitFor()
  expect(await api('files/read?arg=/drafts/old/renamed.txt')).toBe('a note')

  await page.getByText('Move or remove this directory').click()
  await page.getByLabel('Path').fill('/drafts/new')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.waitForURL('**/files/mfs/drafts/new')
  await page.getByRole('row', { name: /^renamed\.txt/ }).waitFor()
  expect(await api('files/read?arg=/drafts/new/renamed.txt')).toBe('a note')

  await page.getByText('Move or remove this directory').click()
  await page.getByRole('button', { name: 'Remove with all its files' }).click()
  await page.waitForURL('**/files/mfs/drafts')
  await page.getByText('This directory is empty').waitFor()
  expect(await api('files/read?arg=/drafts/new/renamed.txt')).toContain('does not exist')
})

test('the names of a directory appear before its sizes', async () => {
  const { page, show } = opened
  await api('files/mkdir?arg=/slow/inner&parents=true')
  await api('files/write?arg=/slow/leaf.txt&create=true', { leaf: 'six by' })
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(/files\/ls\?.*long=true/, async (route) => {
    await held
    await route.continue()
  })
  await show('files/mfs/slow')
  const leaf = page.getByRole('row', { name: /^leaf\.txt/ })
  await leaf.waitFor()
  expect(await leaf.innerText()).not.toContain('6 B')
  release()
  await page.getByRole('row', { name: /^leaf\.txt.*6 B$/ }).waitFor()
  await page.getByRole('row', { name: /^inner\b.*directory/ }).waitFor()
  await page.unroute(/files\/ls\?.*long=true/)
})

test('an operation is copied as a runnable command', async () => {
  const { page, show } = opened
  const answer = await api('files/stat?arg=/slow')
  await show('requests?method=files/stat')
  await page
    .getByRole('row', { name: /^\S+\s+files\/stat\s+arg=\/slow/ })
    .first()
    .click()
  await page.getByRole('complementary').getByText('/slow', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'curl', exact: true }).click()
  const copied = (): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()')
  await until(async () => (await copied()).startsWith('curl '))
  const { stdout } = await run('sh', ['-c', await copied()])
  expect(JSON.parse(stdout)).toEqual(JSON.parse(answer))
})

test('a DAG is drawn with its links, and each link opens its node', async () => {
  const { page, show } = opened
  const big = 'x'.repeat(300_000) + 'y'.repeat(300_000)
  const lines = (
    await api('add?cid-version=1&wrap-with-directory=true', { 'big.bin': big, 'small.txt': 'small' })
  )
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { Name: string; Hash: string })
  const root = lines.find(({ Name }) => Name === '')?.Hash ?? ''
  const refs = (await api(`refs?arg=${root}&recursive=true&unique=true`)).trim().split('\n')
  await show(`files/dag/${root}`)
  const boxes = page.locator('.dag a')
  await expect.poll(() => boxes.count(), longTimeout).toBe(refs.length + 1)
  expect((await page.locator('.dag .edge-name title').allTextContents()).sort()).toEqual([
    'big.bin',
    'small.txt',
  ])
  const file = lines.find(({ Name }) => Name === 'big.bin')?.Hash ?? ''
  await page.getByRole('row', { name: /^big\.bin/ }).click()
  await page.waitForURL(`**/files/dag/${file}`)
  await until(async () => (await boxes.count()) === 4)
})
