import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // A node for each worker. Without it each file starts one in its own process.
    globalSetup: ['standin/vitest/setup'],
  },
})
