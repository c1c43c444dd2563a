import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Starts one node per worker. Without it, each file starts a node in its own process.
    globalSetup: ['standin/vitest/setup'],
  },
})
