import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { WriteBatch, openDatabase } from './database.js'

it('clears a range for earlier readers too, and leaves the rest', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'standin-database-test-'))
  const database = await openDatabase({ directory, sync: false })
  const [within, behind] = [Uint8Array.of(1, 1), Uint8Array.of(2)]
  database.write(new WriteBatch().put(within, Uint8Array.of(7)).put(behind, Uint8Array.of(8)))
  await database.flush()
  expect([database.get(within), database.get(behind)]).toEqual([Uint8Array.of(7), Uint8Array.of(8)])
  await database.clear({ gte: Uint8Array.of(1), lt: Uint8Array.of(2) })
  expect([database.get(within), database.get(behind)]).toEqual([undefined, Uint8Array.of(8)])
  await database.close()
  rmSync(directory, { recursive: true })
})
