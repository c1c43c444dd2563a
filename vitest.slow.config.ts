import { configDefaults, defineConfig } from 'vitest/config'

/** Only in the full harness: on a slow machine, garbage collection decides some of its readings. */
const fullOnly =
  process.env.STANDIN_TORTURE_FULL === undefined ? ['test/torture/bombs/everyParameter.slow.test.ts'] : []

/** What is too long for every run: files of a gigabyte, many kills and restarts. `npm run test:slow`. */
export default defineConfig({
  test: {
    include: ['src/**/*.slow.test.ts', 'test/**/*.slow.test.ts'],
    exclude: [...configDefaults.exclude, ...fullOnly],
    passWithNoTests: true,
    testTimeout: 900_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    reporters: ['default', './scripts/summary-reporter.mjs'],
  },
})
