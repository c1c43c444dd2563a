import { relative } from 'node:path'
import { runBlockchainTests } from './support/blockchainTests.js'
import { conformanceFolder, conformancePath, jsonFiles } from './support/folder.js'
import { runStateTests } from './support/stateTests.js'
import { runTrieTests } from './support/trieTests.js'
import type { Outcome } from './support/vectors.js'

/** Directories of vectors, each with the function that runs one of its files. */
const suites: readonly (readonly [string, (path: string) => AsyncGenerator<Outcome>])[] = [
  ['ethereum-tests/TrieTests', runTrieTests],
  ['ethereum-tests/GeneralStateTests', runStateTests],
  ['osaka-state-tests', runStateTests],
  ['ethereum-tests/BlockchainTests', runBlockchainTests],
]

/** This process runs every `of`th file, so that all cores are used. */
const [share = 0, of = 1] = process.argv.slice(2).map(Number)
let passed = 0
let failed = 0
for (const [directory, run] of suites) {
  const path = conformancePath(...directory.split('/'))
  if (path === undefined) {
    if (share === 0) console.log(`${directory} skipped: it is not in ${conformanceFolder()}`)
    continue
  }
  const before = passed + failed
  for (const file of jsonFiles(path).filter((_, index) => index % of === share)) {
    for await (const { name, failure } of run(file)) {
      if (failure === undefined) passed++
      else {
        failed++
        console.log(`FAIL ${relative(conformanceFolder(), file)}: ${name}: ${failure}`)
      }
    }
  }
  console.log(`${directory}: ${passed + failed - before} tests`)
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
