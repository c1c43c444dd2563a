/* global document, Event, MutationObserver, requestAnimationFrame -- in the page */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { findChromium } from '../scripts/chromium.mjs'
import { installedNodes, startNode } from './lib/nodes.mjs'
import { rate, summarise } from './lib/statistics.mjs'

/*
 * Measures the page on a large data set: the latency of views and filters, the load that an open page puts on the node,
 * and the page's memory under constant traffic. The page's own clock times views and filters, from the navigation or
 * input to the first task after the frame that shows the result. Node, client and Chromium share the processors, so the
 * views include a one-row page as a baseline, and the rates come with the node's own processor time.
 */

const usage = `node bench/page.mjs [options]

  --requests n   requests in the journal; defaults to 100,000
  --blocks n     blocks in the chain; defaults to 200,000
  --files n      files in a directory; defaults to 10,000
  --rounds n     repetitions of every measurement; defaults to 5
  --minutes n    duration of the memory test at 1,000 requests per second; defaults to 2`

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    blocks: { type: 'string', default: '200000' },
    files: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}

/** How long Chromium's own pages keep the processor busy in a new profile. */
const SETTLING_MILLISECONDS = 3000
const BATCH = 1000
const REQUESTS_PER_SECOND = 1000
const TICKS_PER_SECOND = 20
const REQUESTS_PER_ROUND = 50_000
const counts = { requests: Number(flags.requests), blocks: Number(flags.blocks), files: Number(flags.files) }
const rounds = Number(flags.rounds)
const directory = mkdtempSync(join(tmpdir(), 'standin-page-bench-'))
const running = await startNode(installedNodes().get('standin'), {
  parameters: ['--journal-size', String(counts.requests), '--data-dir', directory],
})
const { client } = running
const { origin } = new URL(running.url)

await client.call('hardhat_mine', `0x${counts.blocks.toString(16)}`)
await fillDirectory()
const bare = await serveBarePage()
for (let sent = 0; sent < counts.requests; sent += BATCH) await sendBatch(BATCH)

const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
await measureViews()
await measureFilters()
await measureCost()
await measureMemory()
await browser.close()
await running.stop()
rmSync(directory, { recursive: true, force: true })

/** Sends requests of different methods, so that a filter excludes some of them. */
async function sendBatch(size) {
  const bodies = Array.from({ length: size }, (_, number) => {
    if (number % 7 !== 0) return client.body(number % 2 === 0 ? 'eth_blockNumber' : 'eth_chainId', [])
    const address = `0x${number.toString(16).padStart(40, '0')}`
    return client.body('eth_getBalance', [address, 'latest'])
  })
  await client.load(`[${bodies.join(',')}]`)
}

async function fillDirectory() {
  const form = new FormData()
  for (let i = 0; i < counts.files; i++) {
    form.append('file', new Blob([`file ${i}`]), encodeURIComponent(`many/file-${i}.txt`))
  }
  const answer = await post('add?pin=false', form)
  const lines = answer.trim().split('\n')
  const { Hash: root } = lines.map((line) => JSON.parse(line)).find(({ Name }) => Name === 'many')
  await post(`files/cp?arg=/ipfs/${root}&arg=/many`)
}

/**
 * Serves a one-row page without styles or scripts. The gateway cannot serve it: its pages may not run the script that
 * measures them.
 *
 * @returns its URL
 */
async function serveBarePage() {
  const markup =
    '<!doctype html><title>Bare</title><div role="grid" aria-label="Bare"><div role="row">Title</div><div role="row">Row</div></div>'
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(markup)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return `http://127.0.0.1:${server.address().port}/`
}

async function post(operation, body) {
  const response = await fetch(`${origin}/api/v0/${operation}`, { method: 'POST', body })
  if (!response.ok) throw new Error(`${operation}: ${await response.text()}`)
  return response.text()
}

async function openPage() {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  return { context, page: await context.newPage() }
}

/** Runs in the page: stores when the first non-empty row of a table was drawn, in milliseconds since the navigation. */
function watchFirstRow(table) {
  const observer = new MutationObserver(() => {
    const row = document.querySelectorAll(`[role=grid][aria-label="${table}"] [role=row]`)[1]
    if (row === undefined || row.textContent === '' || row.querySelector('.placeholder') !== null) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => (globalThis.firstRowAt = performance.now())))
  })
  observer.observe(document, { childList: true, subtree: true, characterData: true })
}

/** Times each view in a new profile until its first row is drawn. */
async function measureViews() {
  const views = [
    ['a one-row page', bare, 'Bare'],
    ['requests', '/#/requests', 'Requests, newest first'],
    ['chain/blocks', '/#/chain/blocks', 'Blocks, newest first'],
    ['files/mfs/many', '/#/files/mfs/many', 'Entries of /many'],
  ]
  for (const [name, path, table] of views) {
    const values = []
    for (let round = 0; round < rounds; round++) {
      const { context, page } = await openPage()
      await page.addInitScript(watchFirstRow, table)
      await page.waitForTimeout(SETTLING_MILLISECONDS)
      await page.goto(new URL(path, origin).href)
      let drawnAt
      while (drawnAt === undefined) {
        await page.waitForTimeout(500)
        drawnAt = await page.evaluate(() => globalThis.firstRowAt)
      }
      values.push(drawnAt)
      await context.close()
    }
    report(`first view of ${name}`, values, 'ms')
  }
}

/**
 * Runs in the page: types into a field.
 *
 * @returns milliseconds until the frame with a matching element is drawn
 */
function timeInput(field, { value, selector, pattern }) {
  const matches = () => {
    const element = document.querySelector(selector)
    return element !== null && new RegExp(pattern).test(element.textContent)
  }
  return new Promise((resolve) => {
    const begin = performance.now()
    const observer = new MutationObserver(() => {
      if (!matches()) return
      observer.disconnect()
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)))
    })
    observer.observe(document, { childList: true, subtree: true, characterData: true, attributes: true })
    field.value = value
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/** Times filters from the input until the number of requests, or the first matching entry, is drawn. */
async function measureFilters() {
  const { context, page } = await openPage()
  await page.goto(`${origin}/#/requests`)
  const total = '.timeline[aria-busy=false] strong'
  const methods = page.getByLabel('Method', { exact: true })
  const values = []
  await page
    .locator(total)
    .first()
    .filter({ hasText: new RegExp(await patternOfCount('')) })
    .waitFor()
  await page.waitForTimeout(SETTLING_MILLISECONDS)
  for (let round = 0; round < 2 * rounds; round++) {
    const value = round % 2 === 0 ? 'eth_getBalance' : ''
    const pattern = await patternOfCount(value)
    values.push(await methods.evaluate(timeInput, { value, selector: total, pattern }))
  }
  report('filtering requests', values, 'ms')
  await page.goto(`${origin}/#/files/mfs/many`)
  const names = page.getByLabel('Filter by name')
  const sought = []
  for (let round = 0; round < rounds; round++) {
    const value = `file-${(round * 997) % counts.files}.txt`
    await names.fill('')
    await page.waitForTimeout(500)
    const selector = '[role=grid] [role=row][data-index="0"]'
    sought.push(await names.evaluate(timeInput, { value, selector, pattern: `^${value}` }))
  }
  report('filtering a directory', sought, 'ms')
  await context.close()
}

/** Returns a pattern that matches the journal's number of requests for a method, as the page prints it. */
async function patternOfCount(method) {
  const response = await fetch(`${origin}/_standin/requests/timeline?method=${method || '*'}`)
  const { count } = await response.json()
  const number = count.reduce((sum, one) => sum + one, 0)
  return `^${number.toLocaleString('en-US')}$`
}

/**
 * Measures requests per second and the node's processor time per request, alternately with the page closed and open.
 */
async function measureCost() {
  const work = () => client.call('eth_blockNumber')
  const rates = { closed: [], open: [] }
  const times = { closed: [], open: [] }
  const measure = async (state) => {
    const before = running.process.processorTime()
    rates[state].push(await rate(work, { count: REQUESTS_PER_ROUND, inFlight: 8 }))
    times[state].push(((running.process.processorTime() - before) * 1e6) / REQUESTS_PER_ROUND)
  }
  await rate(work, { count: 2000, inFlight: 8 })
  for (let round = 0; round < rounds; round++) {
    await measure('closed')
    const { context, page } = await openPage()
    await page.goto(`${origin}/#/requests`)
    await page.getByRole('grid').getByRole('row').nth(1).waitFor()
    await measure('open')
    await context.close()
  }
  for (const state of ['closed', 'open']) {
    report(`eth_blockNumber, page ${state}`, rates[state], '/s')
    report(`processor time per request, page ${state}`, times[state], 'µs')
  }
  const ratio = (values) => (summarise(values.open).median / summarise(values.closed).median).toFixed(2)
  console.log(`page open relative to closed: ${ratio(rates)} × rate, ${ratio(times)} × processor time`)
}

/** Samples the page's heap after garbage collection every ten seconds under constant load. */
async function measureMemory() {
  const { context, page } = await openPage()
  const devtools = await context.newCDPSession(page)
  await page.goto(`${origin}/#/requests`)
  const heap = async () => {
    await devtools.send('HeapProfiler.collectGarbage')
    return (await devtools.send('Runtime.getHeapUsage')).usedSize / 2 ** 20
  }
  const sizes = []
  const end = performance.now() + Number(flags.minutes) * 60_000
  for (let sample = performance.now(); performance.now() < end;) {
    const tick = new Promise((done) => setTimeout(done, 1000 / TICKS_PER_SECOND))
    await Promise.all([sendBatch(REQUESTS_PER_SECOND / TICKS_PER_SECOND), tick])
    if (performance.now() < sample) continue
    sizes.push(await heap())
    sample += 10_000
  }
  console.log(
    `heap of the page over ${flags.minutes} minutes, MiB: ${sizes.map((size) => size.toFixed(1)).join(' ')}`,
  )
  await context.close()
}

function report(name, values, unit) {
  const { median, low, high } = summarise(values)
  console.log(`${name}: ${median.toFixed(0)} ${unit} (${low.toFixed(0)} to ${high.toFixed(0)})`)
}
