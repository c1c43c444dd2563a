import { expect, test } from 'vitest'
import { createImportBar } from './importBar.js'

test('a terminal gets one line that ends at the last block', () => {
  let text = ''
  const bar = createImportBar({ isTTY: true, write: (more) => (text += more) })
  bar?.({ number: 1n, done: 25, total: 100 })
  bar?.({ number: 2n, done: 100, total: 100 })
  expect(text).toBe(
    `\rImporting [${'='.repeat(8)}${' '.repeat(22)}] 25 % block 1` +
      `\rImporting [${'='.repeat(30)}] 100 % block 2\n`,
  )
})

test('anything but a terminal gets nothing', () => {
  expect(createImportBar({ write: () => undefined })).toBeUndefined()
})
