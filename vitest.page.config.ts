import { defineConfig } from 'vitest/config'

/** The page in a browser, against nodes with real traffic. `npm run test:page`. */
export default defineConfig({
  test: {
    include: ['test/page/*.page.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    maxWorkers: 1,
    reporters: ['default', './scripts/summary-reporter.mjs'],
  },
})
