import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { findChromium } from './chromium.mjs'
import { prepare, statusOf } from './prepare.mjs'

const [mode, ...parameters] = process.argv.slice(2)
const config = mode === 'fast' ? [] : ['--config', `vitest.${mode}.config.ts`]

await prepare()
if (mode === 'page' && findChromium() === undefined) {
  console.log('Page tests skipped: Chromium not found. Install it, or set CHROMIUM to its path.')
  const failsOnSkip = process.env.STANDIN_FAIL_ON_SKIP === '1'
  console.log(`0 passed, ${failsOnSkip ? 1 : 0} failed`)
  if (failsOnSkip) process.exitCode = 1
} else {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  process.exitCode = await statusOf(process.execPath, [vitest, 'run', ...config, ...parameters])
}
