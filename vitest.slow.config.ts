import { defineConfig } from 'vitest/config'

/** What is too long for every run: files of a gigabyte, many kills and restarts. `npm run test:slow`. */
export default defineConfig({
  test: {
    include: ['src/**/*.slow.test.ts', 'test/**/*.slow.test.ts'],
    passWithNoTests: true,
    testTimeout: 900_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    reporters: ['default', './scripts/summary-reporter.mjs'],
  },
})
