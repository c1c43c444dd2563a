import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core'
import { findChromium } from '../../scripts/chromium.mjs'

/** Timeout for `expect.poll`, the same as the browser's. */
export const longTimeout = { timeout: 60_000 }

/** Starts the browser. @throws Error if none is installed */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('Chromium not found: set CHROMIUM to its path')
  // Containers rarely allow Chromium's sandbox.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

/** A page in a new profile, with its reported problems. */
export interface OpenedPage {
  page: Page
  /** Uncaught errors and violations of the Content-Security-Policy. */
  problems: string[]
  /** Opens a route, such as `chain/blocks`. */
  show(place: string): Promise<void>
}

/** Opens the page of a node. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({
    viewport: { width: 1360, height: 860 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(longTimeout.timeout)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security|Trusted|violates/i.test(message.text())) {
      problems.push(message.text())
    }
  })
  const show = async (place: string): Promise<void> => {
    await page.goto(`${origin}/#/${place}`)
  }
  await show('requests')
  return { page, problems, show }
}

/** Returns the origin of the page. */
export function originOf(url: string): string {
  return new URL(url).origin
}

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[]
}

/** Returns the accessibility rules that the view violates, each with the first violating element. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(await axe)
  const { violations } = await page.evaluate<AxeResults>('axe.run(document, { iframes: false })')
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
}
