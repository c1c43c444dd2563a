import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const run = promisify(execFile)

/** Runs a script in its own Node process, because V8 flags apply to the whole process. */
function inNode(script: string, flags: readonly string[] = []) {
  return run(process.execPath, [...flags, '-e', script])
}

/** Number of calls until V8 optimizes a function with a loop. */
const callsUntilOptimized = `
  function sum(count) { let total = 0; for (let i = 0; i < count; i++) total += i * i; return total }
  const isOptimized = () => (%GetOptimizationStatus(sum) & 16) !== 0
  let calls = 0
  while (!isOptimized() && calls < 100000) { sum(100); calls++ }
  console.log(calls)`

describe('the flags that the command sets', () => {
  test('are known to this V8, which reports an unknown one', async () => {
    const unknown = await inNode(`require('node:v8').setFlagsFromString('--no-such-flag-at-all')`)
    expect(unknown.stderr).toMatch(/no-such-flag-at-all/)
    const set = await inNode(`
      require('./bin/tierUp.js').optimizeSooner()
      require('./bin/heapGrowth.js').followCollections()
      const kept = []
      for (let i = 0; i < 200; i++) kept.push(new Array(10000).fill(i))`)
    expect(set).toEqual({ stdout: '', stderr: '' })
  })

  test.runIf(process.versions.v8.startsWith('11.'))('have it optimize sooner', async () => {
    const flags = ['--allow-natives-syntax', '--no-concurrent-recompilation']
    const [by, sooner] = await Promise.all([
      inNode(callsUntilOptimized, flags),
      inNode(`require('./bin/tierUp.js').optimizeSooner();${callsUntilOptimized}`, flags),
    ])
    expect(Number(sooner.stdout)).toBeLessThan(Number(by.stdout) / 2)
  })
})
