import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const run = promisify(execFile)

/** Runs a script in a separate Node process, since V8 flags apply to the whole process. */
function inNode(script: string, flags: readonly string[] = []) {
  return run(process.execPath, [...flags, '-e', script])
}

/** Script that prints after how many calls V8 optimizes a function with a loop. */
const callsUntilOptimized = `
  function sum(count) { let total = 0; for (let i = 0; i < count; i++) total += i * i; return total }
  const isOptimized = () => (%GetOptimizationStatus(sum) & 16) !== 0
  let calls = 0
  while (!isOptimized() && calls < 100000) { sum(100); calls++ }
  console.log(calls)`

describe('the V8 flags of the command', () => {
  test('are known to this V8, which reports unknown ones', async () => {
    const unknown = await inNode(`require('node:v8').setFlagsFromString('--no-such-flag-at-all')`)
    expect(unknown.stderr).toMatch(/no-such-flag-at-all/)
    const set = await inNode(`
      require('./bin/tierUp.js').optimizeSooner()
      require('./bin/heapGrowth.js').followCollections()
      const kept = []
      for (let i = 0; i < 200; i++) kept.push(new Array(10000).fill(i))`)
    expect(set).toEqual({ stdout: '', stderr: '' })
  })

  test.runIf(process.versions.v8.startsWith('11.'))('make it optimize sooner', async () => {
    const flags = ['--allow-natives-syntax', '--no-concurrent-recompilation']
    const [usual, sooner] = await Promise.all([
      inNode(callsUntilOptimized, flags),
      inNode(`require('./bin/tierUp.js').optimizeSooner();${callsUntilOptimized}`, flags),
    ])
    expect(Number(sooner.stdout)).toBeLessThan(Number(usual.stdout) / 2)
  })
})
