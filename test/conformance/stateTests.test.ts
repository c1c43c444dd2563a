import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runBlockchainTests } from './support/blockchainTests.js'
import { conformancePath, jsonFiles } from './support/folder.js'
import { runStateTests } from './support/stateTests.js'
import { runTrieTests } from './support/trieTests.js'
import type { Outcome } from './support/vectors.js'

/** A sample of the vectors, large enough to catch most mistakes; `npm run state-tests` runs all of them. */
const samples: readonly (readonly [string, number, (path: string) => AsyncGenerator<Outcome>])[] = [
  ['ethereum-tests/TrieTests', 1, runTrieTests],
  ['ethereum-tests/GeneralStateTests', 40, runStateTests],
  ['osaka-state-tests', 3, runStateTests],
  ['ethereum-tests/BlockchainTests', 10, runBlockchainTests],
]

/** Whether a file runs millions of opcodes in one transaction. */
function isLong(file: string): boolean {
  return file.includes('vmPerformance')
}

for (const [directory, step, run] of samples) {
  const path = conformancePath(...directory.split('/'))
  describe.skipIf(path === undefined)(`${directory} (skipped without the public vectors)`, () => {
    const files =
      path === undefined ? [] : jsonFiles(path).filter((file, index) => index % step === 0 && !isLong(file))
    test.each(files.map((file) => [basename(file), file] as const))('%s', async (_, file) => {
      const failures: Outcome[] = []
      let count = 0
      for await (const outcome of run(file)) {
        count++
        if (outcome.failure !== undefined) failures.push(outcome)
      }
      expect(failures).toEqual([])
      expect(count).toBeGreaterThan(0)
    })
  })
}
