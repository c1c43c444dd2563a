import { existsSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StandinNode, createNode } from '../../src/index.js'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)

/** Uploads the content of the well-known CID below, and reports the result in the title. */
const uploadScript = (url: string) => `
  const body = new FormData()
  body.append('file', new Blob(['hello world\\n']), 'hello.txt')
  fetch('${url}/api/v0/add', { method: 'POST', body })
    .then((response) => response.json())
    .then(({ Hash }) => (document.title = Hash), (error) => (document.title = 'failed: ' + error.name))`

let node: StandinNode
let pages: Server
let browser: Browser
let pageUrl: string

describe.skipIf(executablePath === undefined)('a page in Chromium', () => {
  beforeAll(async () => {
    node = await createNode({ port: 0 })
    pages = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<!doctype html><script>${uploadScript(node.ipfsUrl)}</script>`)
    })
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
    pageUrl = `http://localhost:${(pages.address() as AddressInfo).port}`
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
    })
  })

  afterAll(async () => {
    await browser.close()
    pages.close()
    await node.stop()
  })

  /** Title that a page sets when its script has finished. */
  async function titleOf(url: string): Promise<string> {
    const page = await browser.newPage()
    await page.goto(url)
    await page.waitForFunction(`document.title !== ''`)
    const title = await page.title()
    await page.close()
    return title
  }

  test('uploads from another loopback origin', async () => {
    expect(await titleOf(pageUrl)).toBe('QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o')
  })

  test('uploads nothing when opened from the gateway', async () => {
    const body = new FormData()
    const html = `<!doctype html><html><body><script>${uploadScript(node.ipfsUrl)}</script></body></html>`
    body.append('file', new Blob([html]), 'page.html')
    const added = await fetch(`${node.ipfsUrl}/api/v0/add?cid-version=1`, { method: 'POST', body })
    const { Hash } = (await added.json()) as { Hash: string }
    const { port } = new URL(node.ipfsUrl)
    expect(await titleOf(`http://${Hash}.ipfs.localhost:${port}/?filename=page.html`)).toMatch(/^failed/)
  })

  test('shows a gateway directory without running its scripts', async () => {
    const body = new FormData()
    body.append(
      'file',
      new Blob(['<!doctype html><script>document.title = 1</script><p>text']),
      's/page.html',
    )
    const added = await fetch(`${node.ipfsUrl}/api/v0/add`, { method: 'POST', body })
    const lines = (await added.text()).trim().split('\n')
    const { Hash } = JSON.parse(lines.at(-1) ?? '') as { Hash: string }
    const page = await browser.newPage()
    await page.goto(`${node.ipfsUrl}/ipfs/${Hash}/`)
    expect(await page.locator('h1').textContent()).toBe(`Index of /ipfs/${Hash}/`)
    await page.click('text=page.html')
    expect(await page.locator('p').textContent()).toBe('text')
    expect(await page.title()).toBe('')
    await page.close()
  })
})
