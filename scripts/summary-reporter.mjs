import { writeSync } from 'node:fs'

const failsOnSkip = process.env.STANDIN_FAIL_ON_SKIP === '1'

/** Maximum number of skipped suites to list per file; larger numbers are only counted. */
const maxNames = 10

/** Tests that may be skipped even with STANDIN_FAIL_ON_SKIP: slow tests, and those that this Node cannot run. */
const mayBeSkipped = [
  /^test\/ipfs\/vectors\.test\.ts > .*1 GiB/,
  /^test\/examples\/examples\.test\.ts > hardhat: /,
  /^test\/package\/v8Flags\.test\.ts > the V8 flags of the command /,
]

/**
 * Ends a vitest run with the line `N passed, N failed`. A file that does not load and an error outside any test each
 * count as a failure, so that the line always agrees with the exit status. Skipped tests are listed before it by file
 * and suite, as the suites' names give the reason. With STANDIN_FAIL_ON_SKIP=1 a skipped test counts as failed,
 * because a program or file that it needs is missing.
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
        // A suite whose data is missing has no tests.
        if (suite.children.size === 0) skipped.set(`${module.relativeModuleId} > ${suite.name}`, 0)
      }
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed += 1
        else if (state === 'skipped') {
          const name = `${module.relativeModuleId} > ${suiteOrTest(test)}`
          skipped.set(name, (skipped.get(name) ?? 0) + 1)
          const fullName = `${module.relativeModuleId} > ${test.fullName}`
          if (failsOnSkip && !mayBeSkipped.some((pattern) => pattern.test(fullName))) failed += 1
        } else failed += 1
      }
    }
    const files = new Map()
    for (const name of skipped.keys()) {
      const [file] = name.split(' > ')
      files.set(file, (files.get(file) ?? 0) + 1)
    }
    for (const [file, count] of files) {
      if (count <= maxNames) continue
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

/** Returns the name of the outermost suite of a test, which gives the reason for a skip, or of the test itself. */
function suiteOrTest(test) {
  let node = test
  while (node.parent.type === 'suite') node = node.parent
  return node.name
}
