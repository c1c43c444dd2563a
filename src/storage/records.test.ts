import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { WriteBatch, openDatabase } from './database.js'
import { syncDirectory } from './directories.js'
import { decodeBulkRow, encodeBulkRow } from './records.js'

vi.mock(import('./directories.js'), { spy: true })

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'standin-records-test-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it('syncs the name of its first segment too before a synced write returns', async () => {
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

it('encodes a position in six bytes, a length and a checksum in four each, little-endian', () => {
  const row = encodeBulkRow({ position: 0xfedcba987654, length: 0xf1e2d3c4, checksum: 0x89abcdef })
  expect(row).toEqual(
    Uint8Array.of(0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0xc4, 0xd3, 0xe2, 0xf1, 0xef, 0xcd, 0xab, 0x89),
  )
  expect(decodeBulkRow(row)).toEqual({ position: 0xfedcba987654, length: 0xf1e2d3c4, checksum: 0x89abcdef })
})
