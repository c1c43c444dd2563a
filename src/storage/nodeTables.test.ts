import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keyspaceOf } from './keyspace.js'
import { type Level, openLevel } from './level.js'
import { NodeTables } from './nodeTables.js'

const WRITE_BUFFER_BYTES = 64 * 1024
const keys = keyspaceOf(0)

let directory: string
let level: Level
let tables: NodeTables
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'standin-node-tables-'))
  level = await openLevel(directory, { writeBufferSize: WRITE_BUFFER_BYTES })
  tables = new NodeTables(directory)
})
afterEach(async () => {
  tables.close()
  await level.close()
  rmSync(directory, { recursive: true })
})

/** The bytes of a node: of different lengths, some longer than a block of LevelDB. */
const nodeOf = (number: number) =>
  Buffer.alloc(1 + ((number * 31) % 700) + (number % 500 === 0 ? 40_000 : 0), `${number},`)

async function write(from: number, to: number, network = 0): Promise<void> {
  const { trieNode } = keyspaceOf(network)
  for (let number = from; number < to; number += 100) {
    const batch = level.batch()
    for (let n = number; n < Math.min(number + 100, to); n++) batch.put(trieNode(n), nodeOf(n))
    await batch.write()
  }
}

/** Reopens LevelDB, which turns its log into a table. */
async function reopen(): Promise<void> {
  await level.close()
  await level.open()
  tables.forget()
}

const found = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i).filter(
    (n) => tables.get(keys.trieNode(n)) !== undefined,
  )

it('reads every node as LevelDB does', async () => {
  await write(0, 3000)
  await reopen()
  expect(readdirSync(directory).filter((name) => name.endsWith('.ldb')).length).toBeGreaterThan(10)
  for (let n = 0; n < 3000; n++) {
    const key = keys.trieNode((n * 7919) % 3000)
    expect(Buffer.from(tables.get(key)!)).toEqual(Buffer.from(level.getSync(key)!))
  }
  expect(tables.get(keys.trieNode(3000))).toBeUndefined()
  expect(tables.get(keyspaceOf(1).trieNode(5))).toBeUndefined()
})

it('finds what is written later, once there are enough tables', async () => {
  await write(0, 1000)
  await reopen()
  expect(found(0, 1000).length).toBe(1000)
  await write(1000, 2000)
  expect(found(1000, 2000)).toEqual([])
  for (let count = 0; count < 40; count++) tables.written()
  expect(found(1000, 2000).length).toBeGreaterThan(500)
  for (const n of found(1000, 2000)) expect(Buffer.from(tables.get(keys.trieNode(n))!)).toEqual(nodeOf(n))
})

it('leaves nodes to LevelDB that a newer table may have changed', async () => {
  await write(0, 2000)
  await reopen()
  await level.batch().del(keys.trieNode(700)).put(keys.trieNode(710), Buffer.from('other')).write()
  await reopen()
  expect(tables.get(keys.trieNode(700))).toBeUndefined()
  expect(tables.get(keys.trieNode(710))).toBeUndefined()
  expect(found(0, 2000).length).toBeGreaterThan(1500)
})

it('leaves removed nodes to LevelDB after a compaction', async () => {
  await write(0, 1000)
  for (let n = 300; n < 600; n++) await level.del(keys.trieNode(n))
  await reopen()
  await (level as Level & { compactRange(from: Uint8Array, to: Uint8Array): Promise<void> }).compactRange(
    keys.trieNodes().gte,
    keys.trieNodes().lt,
  )
  tables.forget()
  expect(found(300, 600)).toEqual([])
  expect(found(0, 1000).length).toBe(700)
})

it('leaves nodes of several networks to LevelDB', async () => {
  await write(0, 100)
  await write(100, 200, 1)
  await reopen()
  expect(found(0, 100)).toEqual([])
})

it('leaves a damaged table to LevelDB', async () => {
  await write(0, 1000)
  await reopen()
  for (const name of readdirSync(directory))
    if (name.endsWith('.ldb')) truncateSync(join(directory, name), 100)
  expect(found(0, 1000)).toEqual([])
})

it('reads nothing once it is stopped', async () => {
  await write(0, 1000)
  await reopen()
  tables.stop()
  expect(found(0, 1000)).toEqual([])
})
