import { writeSync } from 'node:fs'

/**
 * Ends a vitest run with one plain line, `N passed, N failed`, counted from the results themselves. A file that
 * could not be loaded and an error outside any test each count as one failure, so that the line never says
 * `0 failed` where the exit status says otherwise.
 */
export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0
    let failed = unhandledErrors.length
    let skipped = 0
    for (const module of modules) {
      failed += module.errors().length
      for (const suite of module.children.allSuites()) failed += suite.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed += 1
        else if (state === 'skipped') skipped += 1
        else failed += 1
      }
    }
    process.once('exit', () => {
      if (skipped > 0) writeSync(1, `${skipped} left out\n`)
      writeSync(1, `${passed} passed, ${failed} failed\n`)
    })
  }
}
