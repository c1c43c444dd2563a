import { readFileSync } from 'node:fs'
import { createEVM } from '@ethereumjs/evm'
import { expect, test } from 'vitest'
import { ETHEREUMJS_RELEASE, captureInterpreter, checkLibraryJournal } from './internals.js'

const packages = ['block', 'common', 'evm', 'mpt', 'rlp', 'statemanager', 'tx', 'util', 'vm']

test.each(packages)(
  'the installed release of @ethereumjs/%s is the one that internals.ts was written for',
  (name) => {
    const file = new URL(`../../../node_modules/@ethereumjs/${name}/package.json`, import.meta.url)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: ETHEREUMJS_RELEASE })
  },
)

test('rejects an interpreter that lacks a used member', async () => {
  const evm = await createEVM()
  Reflect.deleteProperty(evm, '_opcodeMap')
  await expect(captureInterpreter(evm)).rejects.toThrow('@ethereumjs/evm no longer has EVM._opcodeMap')
})

test('rejects a journal with a member that ours lacks', () => {
  class Journal {
    putStorage(): void {
      // Only the name matters.
    }
  }
  expect(() => checkLibraryJournal(new Journal(), {})).toThrow('new member Journal.putStorage')
  expect(() => checkLibraryJournal(new Journal(), new Journal())).not.toThrow()
})
