import { writeSync } from 'node:fs'

const isNothingLeftOut = process.env.STANDIN_NOTHING_LEFT_OUT === '1'

/** Names of skipped suites that are listed of one file; more are counted. */
const mostNames = 10

/** What may be skipped where nothing may be left out: what the slow part runs, and what this Node cannot do. */
const mayBeSkipped = [
  /^test\/ipfs\/vectors\.test\.ts > .*1 GiB/,
  /^test\/examples\/examples\.test\.ts > hardhat: /,
]

/**
 * Ends a vitest run with one plain line, `N passed, N failed`, counted from the results themselves. A file that
 * could not be loaded and an error outside any test each count as one failure, so that the line never says
 * `0 failed` where the exit status says otherwise. Skipped tests are named before it, by file and suite: the names of
 * suites say why. With STANDIN_NOTHING_LEFT_OUT=1 a skipped test counts as failed: a program or a file that it needs is
 * missing.
 */
export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0
    let failed = unhandledErrors.length
    const skipped = new Map()
    for (const module of modules) {
      failed += module.errors().length
      for (const suite of module.children.allSuites()) {
        failed += suite.errors().length
        // A suite without its data has no tests to be skipped.
        if (suite.children.size === 0) skipped.set(`${module.relativeModuleId} > ${suite.name}`, 0)
      }
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed += 1
        else if (state === 'skipped') {
          const name = `${module.relativeModuleId} > ${suiteOrTest(test)}`
          skipped.set(name, (skipped.get(name) ?? 0) + 1)
          const fullName = `${module.relativeModuleId} > ${test.fullName}`
          if (isNothingLeftOut && !mayBeSkipped.some((pattern) => pattern.test(fullName))) failed += 1
        } else failed += 1
      }
    }
    const files = new Map()
    for (const name of skipped.keys()) {
      const [file] = name.split(' > ')
      files.set(file, (files.get(file) ?? 0) + 1)
    }
    for (const [file, count] of files) {
      if (count <= mostNames) continue
      for (const name of skipped.keys()) if (name.startsWith(`${file} > `)) skipped.delete(name)
      skipped.set(file, count)
    }
    process.once('exit', () => {
      if (failed > 0) process.exitCode = 1
      for (const [name, count] of skipped) writeSync(1, `skipped: ${name} (${count || 'all'})\n`)
      writeSync(1, `${passed} passed, ${failed} failed\n`)
    })
  }
}

/** The outermost suite around a test, whose title says why it is skipped, or the test itself. */
function suiteOrTest(test) {
  let node = test
  while (node.parent.type === 'suite') node = node.parent
  return node.name
}
