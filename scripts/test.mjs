import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { prepare, statusOf } from './prepare.mjs'

const [mode, ...parameters] = process.argv.slice(2)
const config = mode === 'slow' ? ['--config', 'vitest.slow.config.ts'] : []

await prepare()
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
process.exitCode = await statusOf(process.execPath, [vitest, 'run', ...config, ...parameters])
