import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Level } from 'level'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkLevelFiles } from './levelFiles.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'standin-level-'))
  // Each open turns its log into a table.
  for (let round = 0; round < 4; round++) {
    const database = new Level(directory, { compression: false })
    for (let row = 0; row < 500; row++) await database.put(`${round} ${row}`, 'value'.repeat(50))
    await database.close()
  }
})
afterEach(() => rm(directory, { recursive: true }))

async function check(): Promise<void> {
  await (await checkLevelFiles(directory)).check(new AbortController().signal)
}

async function tables(): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith('.ldb')).sort()
}

test('ignores a table left incomplete by a kill', async () => {
  const [first = ''] = await tables()
  const content = await readFile(join(directory, first))
  await writeFile(join(directory, '009999.ldb'), content.subarray(0, content.length - 100))
  await check()
  const database = new Level(directory)
  expect(await database.get('0 0')).toBe('value'.repeat(50))
  await database.close()
})

test('checks every table of the database', async () => {
  const names = await tables()
  expect(names.length).toBeGreaterThan(1)
  for (const name of names) {
    const path = join(directory, name)
    const content = await readFile(path)
    await writeFile(path, content.subarray(0, content.length - 100))
    await expect(check()).rejects.toThrow(`${path} is damaged`)
    await writeFile(path, content)
  }
  await check()
})
