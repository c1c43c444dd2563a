import { defineConfig } from 'vitest/config'

const exclude = ['**/node_modules/**', '**/*.slow.test.ts', '**/*.page.test.ts']

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    reporters: ['default', './scripts/summary-reporter.mjs'],
    projects: [
      { extends: true, test: { name: 'all', include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude } },
      {
        extends: true,
        test: {
          // What goes over the wire, once more without what reads plain requests before node:http and the app.
          name: 'app alone',
          include: ['test/server/**/*.test.ts', 'test/provider/**/*.test.ts'],
          exclude: [...exclude, '**/directConnection.test.ts'],
          env: { STANDIN_TEST_ACCELERATION: 'off' },
        },
      },
    ],
  },
})
