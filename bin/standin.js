#!/usr/bin/env node
import { existsSync } from 'node:fs'
import module from 'node:module'

const entry = new URL('../dist/cli.js', import.meta.url)
if (existsSync(entry)) {
  // Node 22 and newer keep the compiled code between runs; older ones start without.
  module.enableCompileCache?.()
  const { main } = await import(entry.href)
  await main(process.argv.slice(2))
} else {
  console.error('standin is not built yet: run "npm run build" (or "npm start", which builds first)')
  process.exitCode = 1
}
