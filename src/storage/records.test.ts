import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openDatabase } from './database.js'
import { syncDirectory } from './directories.js'
import { WriteBatch } from './writeBatch.js'

vi.mock(import('./directories.js'), { spy: true })

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'standin-records-test-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it('has the name of its first segment on the medium too, before a write that waits for it returns', async () => {
  const database = await openDatabase({ directory, sync: true })
  const records = join(directory, 'records')
  const syncs = () => vi.mocked(syncDirectory).mock.calls.filter(([path]) => path === records)
  const write = () => database.write(new WriteBatch().putBulk(Uint8Array.of(1), Uint8Array.of(2)))
  write()
  expect(syncs()).toHaveLength(1)
  write()
  expect(syncs()).toHaveLength(1)
  await database.close()
})
