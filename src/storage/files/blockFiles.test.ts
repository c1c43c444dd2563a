import { createHash, randomBytes } from 'node:crypto'
import {
  appendFile,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileIndex } from './fileIndex.js'
import { type FileStore, openFileStore } from './blockFiles.js'
import { encodeSegmentRow, segmentRowKey } from './rows.js'

const label = Uint8Array.of(1, 0x55)
let directory: string
let store: FileStore

const bytes = (length: number): Uint8Array => Uint8Array.from(randomBytes(length))
const keyOf = (data: Uint8Array): Uint8Array => Uint8Array.from(createHash('sha256').update(data).digest())
const isIntact = async (key: Uint8Array, data: Uint8Array): Promise<boolean> =>
  Buffer.compare(key, keyOf(data)) === 0
const put = (data: Uint8Array): Promise<void> => store.blocks.put({ key: keyOf(data), label, data })
const open = (): Promise<FileStore> => openFileStore({ directory, sync: false, isIntact })

async function reopen(): Promise<void> {
  await store.close()
  store = await open()
}

async function newestSegment(): Promise<string> {
  const names = await readdir(join(directory, 'blocks'))
  return join(directory, 'blocks', names.sort().at(-1) ?? '')
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'file-store-'))
  store = await open()
})

afterEach(async () => {
  await store.close()
  await rm(directory, { recursive: true })
})

describe('blocks', () => {
  it('returns stored values, even after a reopen', async () => {
    const blocks = [new Uint8Array(0), bytes(10), bytes(300_000)]
    await Promise.all(blocks.map(put))
    for (const data of blocks) expect(await store.blocks.get(keyOf(data))).toEqual(data)
    await reopen()
    for (const data of blocks) expect(await store.blocks.get(keyOf(data))).toEqual(data)
    expect(store.blocks.totals().blocks).toBe(3)
    expect(await store.blocks.get(bytes(32))).toBeUndefined()
  })

  it('yields while many small blocks are read', async () => {
    const blocks = Array.from({ length: 1000 }, () => bytes(20))
    await Promise.all(blocks.map(put))
    let turns = 0
    let isReading = true
    const count = (): void => {
      turns++
      if (isReading) setImmediate(count)
    }
    setImmediate(count)
    for (const data of blocks) expect(await store.blocks.get(keyOf(data))).toEqual(data)
    isReading = false
    expect(turns).toBeGreaterThanOrEqual(15)
  })

  it('stores equal blocks once and keeps every label', async () => {
    const data = bytes(1000)
    const other = Uint8Array.of(0, 0x70)
    await Promise.all([put(data), put(data), store.blocks.put({ key: keyOf(data), label: other, data })])
    const totals = store.blocks.totals()
    expect(totals.bytes).toBeLessThan(1100)
    await put(data)
    expect(store.blocks.totals()).toEqual({ ...totals, blocks: 1 })
    expect(store.blocks.find(keyOf(data))?.labels.map((found) => [...found])).toEqual([
      [1, 0x55],
      [0, 0x70],
    ])
  })

  it('drops bytes after the last acknowledged block', async () => {
    const data = bytes(1000)
    await put(data)
    await store.close()
    const file = await newestSegment()
    const { size } = await stat(file)
    await appendFile(file, bytes(50))
    store = await open()
    expect((await stat(file)).size).toBe(size)
    expect(await store.blocks.get(keyOf(data))).toEqual(data)
  })

  it('forgets blocks that a shortened file no longer holds whole', async () => {
    const first = bytes(1000)
    const second = bytes(1000)
    await put(first)
    await put(second)
    await store.close()
    const file = await newestSegment()
    await truncate(file, (await stat(file)).size - 1)
    store = await open()
    expect(await store.blocks.get(keyOf(first))).toEqual(first)
    expect(store.blocks.find(keyOf(second))).toBeUndefined()
    await put(second)
    await reopen()
    expect(await store.blocks.get(keyOf(second))).toEqual(second)
  })

  it('counts again before it deletes a file whose count is zero', async () => {
    const blocks = [bytes(1000), bytes(2000)]
    await Promise.all(blocks.map(put))
    const { bytes: committedLength } = store.blocks.totals()
    await store.close()
    const index = await FileIndex.open(join(directory, 'index'), { sync: true })
    await index.write([
      { key: segmentRowKey(1), value: encodeSegmentRow({ committedLength, liveBlocks: 0, liveBytes: 0 }) },
    ])
    await index.close()
    store = await open()
    for (const data of blocks) expect(await store.blocks.get(keyOf(data))).toEqual(data)
    expect(store.blocks.totals()).toEqual({ blocks: 2, bytes: committedLength })
    await reopen()
    expect(store.blocks.totals().blocks).toBe(2)
  })

  it('keeps the blocks of a file whose row the index has lost', async () => {
    const blocks = [bytes(1000), bytes(2000)]
    await Promise.all(blocks.map(put))
    const totals = store.blocks.totals()
    await store.close()
    const index = await FileIndex.open(join(directory, 'index'), { sync: true })
    await index.write([{ key: segmentRowKey(1), value: undefined }])
    await index.close()
    store = await open()
    for (const data of blocks) expect(await store.blocks.get(keyOf(data))).toEqual(data)
    expect(store.blocks.totals()).toEqual(totals)
  })

  it('finds its blocks without an index, up to the first incomplete one', async () => {
    const blocks = [new Uint8Array(0), bytes(1000), bytes(70_000)]
    const torn = bytes(1000)
    for (const data of [...blocks, torn]) await put(data)
    await store.close()
    const file = await newestSegment()
    const { size } = await stat(file)
    await truncate(file, size - 1)
    await rm(join(directory, 'index'), { recursive: true })
    store = await open()
    for (const data of blocks) expect(await store.blocks.get(keyOf(data))).toEqual(data)
    expect(store.blocks.find(keyOf(blocks[1] as Uint8Array))?.labels).toEqual([label])
    expect(store.blocks.find(keyOf(torn))).toBeUndefined()
    await put(torn)
    await reopen()
    expect(await store.blocks.get(keyOf(torn))).toEqual(torn)
    expect(store.blocks.totals()).toEqual({ blocks: 4, bytes: size })
  })

  it('skips a block that does not match its key when only its file lists it', async () => {
    const [first, holed, last] = [bytes(70_000), bytes(70_000), bytes(70_000)]
    for (const data of [first, holed, last]) await put(data)
    await store.close()
    const file = await newestSegment()
    const content = await readFile(file)
    content.fill(0, content.indexOf(holed) + 4096, content.indexOf(holed) + 8192)
    await writeFile(file, content)
    await rm(join(directory, 'index'), { recursive: true })
    store = await open()
    expect(store.blocks.find(keyOf(holed))).toBeUndefined()
    for (const data of [first, last]) expect(await store.blocks.get(keyOf(data))).toEqual(data)
    await put(holed)
    await reopen()
    for (const data of [first, holed, last]) expect(await store.blocks.get(keyOf(data))).toEqual(data)
  })

  it('does not restore removed blocks when the process ends while deleting a file', async () => {
    const [toRemove, toKeep] = [bytes(1000), bytes(1000)]
    await put(toRemove)
    const removal = store.blocks.openRemoval()
    await removal.remove([keyOf(toRemove)])
    removal.end()
    await put(toKeep)
    await store.blocks.compact()
    await store.close()
    const index = await FileIndex.open(join(directory, 'index'), { sync: true })
    await index.write([
      {
        key: segmentRowKey(1),
        value: encodeSegmentRow({ committedLength: 1000, liveBlocks: 0, liveBytes: 0 }),
      },
    ])
    await index.close()
    store = await open()
    expect(store.blocks.find(keyOf(toRemove))).toBeUndefined()
    expect(await store.blocks.get(keyOf(toKeep))).toEqual(toKeep)
  })

  it('counts again when a file is shortened and the count was already wrong', async () => {
    const kept = bytes(1000)
    await put(kept)
    await put(bytes(2000))
    const { bytes: committedLength } = store.blocks.totals()
    await store.close()
    const index = await FileIndex.open(join(directory, 'index'), { sync: true })
    await index.write([
      { key: segmentRowKey(1), value: encodeSegmentRow({ committedLength, liveBlocks: 0, liveBytes: 0 }) },
    ])
    await index.close()
    const file = await newestSegment()
    await truncate(file, (await stat(file)).size - 1)
    store = await open()
    expect(await store.blocks.get(keyOf(kept))).toEqual(kept)
    expect(store.blocks.totals().blocks).toBe(1)
  })
})

describe('opening', () => {
  it('leaves the directory free for the next process if it fails', async () => {
    await put(bytes(10))
    await store.close()
    const segment = await newestSegment()
    await rename(segment, `${segment}.aside`)
    await mkdir(segment)
    await expect(open()).rejects.toThrow('EISDIR')
    await rm(segment, { recursive: true })
    await rename(`${segment}.aside`, segment)
    store = await open()
    expect(store.blocks.totals().blocks).toBe(1)
  })
})

describe('removal', () => {
  it('frees the space of removed blocks and keeps the rest', async () => {
    const toRemove = [bytes(400_000), bytes(400_000)]
    const toKeep = [bytes(1000), bytes(100_000)]
    await Promise.all([...toRemove, ...toKeep].map(put))
    const removal = store.blocks.openRemoval()
    const removed = await removal.remove(toRemove.map(keyOf))
    removal.end()
    await store.blocks.compact()
    expect(removed).toHaveLength(2)
    expect(store.blocks.totals().blocks).toBe(2)
    expect((await stat(await newestSegment())).size).toBeLessThan(102_000)
    expect(await readdir(join(directory, 'blocks'))).toHaveLength(1)
    for (const data of toKeep) expect(await store.blocks.get(keyOf(data))).toEqual(data)
    await reopen()
    for (const data of toKeep) expect(await store.blocks.get(keyOf(data))).toEqual(data)
    for (const data of toRemove) expect(await store.blocks.get(keyOf(data))).toBeUndefined()
    expect(store.blocks.totals().blocks).toBe(2)
  })

  it('moves small blocks in several writes, so that none blocks others for long', async () => {
    const blocks = Array.from({ length: 1500 }, () => bytes(20))
    await Promise.all(blocks.map(put))
    const recordLength = store.blocks.totals().bytes / blocks.length
    const removal = store.blocks.openRemoval()
    await removal.remove(blocks.slice(0, 100).map(keyOf))
    removal.end()

    const lengths: number[] = []
    let isCompacting = true
    const look = (): void => {
      lengths.push(store.blocks.totals().bytes)
      if (isCompacting) setImmediate(look)
    }
    look()
    await store.blocks.compact()
    isCompacting = false
    const steps = lengths.slice(1).map((length, index) => length - (lengths[index] ?? 0))
    expect(Math.max(...steps) / recordLength).toBeLessThanOrEqual(512)
    expect(steps.filter((step) => step > 0).length).toBeGreaterThanOrEqual(2)
    expect(store.blocks.totals()).toEqual({ blocks: 1400, bytes: 1400 * recordLength })
  })

  it('counts a block removed under several labels once', async () => {
    const shared = bytes(1000)
    const kept = bytes(1000)
    await Promise.all([put(shared), put(kept)])
    await store.blocks.put({ key: keyOf(shared), label: Uint8Array.of(0, 0x70), data: shared })
    const removal = store.blocks.openRemoval()
    const removed = await removal.remove([keyOf(shared), Uint8Array.from(keyOf(shared))])
    removal.end()
    expect(removed.map(({ labels }) => labels.length)).toEqual([2])
    expect(store.blocks.totals().blocks).toBe(1)
    await store.blocks.compact()
    await reopen()
    expect(await store.blocks.get(keyOf(kept))).toEqual(kept)
  })

  it('spares blocks that a session stored or found stored, even if it ends meanwhile', async () => {
    const [before, found, stored] = [bytes(10), bytes(10), bytes(10)]
    await put(before)
    await put(found)
    const session = store.blocks.openSession()
    await store.blocks.put({ key: keyOf(found), label, data: found, session })
    await store.blocks.put({ key: keyOf(stored), label, data: stored, session })
    const removal = store.blocks.openRemoval()
    session.end()
    const removed = await removal.remove([before, found, stored].map(keyOf))
    expect(removed.map(({ key }) => key)).toEqual([keyOf(before)])
    removal.end()
    const later = store.blocks.openRemoval()
    expect(await later.remove([found, stored].map(keyOf))).toHaveLength(2)
    later.end()
  })

  it('removes an empty block stored just before, but spares one that a session stored', async () => {
    const empty = new Uint8Array()
    await put(bytes(10))
    const session = store.blocks.openSession()
    await store.blocks.put({ key: keyOf(empty), label, data: empty, session })
    const removal = store.blocks.openRemoval()
    expect(await removal.remove([keyOf(empty)])).toEqual([])
    session.end()
    removal.end()
    const later = store.blocks.openRemoval()
    expect(await later.remove([keyOf(empty)])).toHaveLength(1)
    later.end()
  })
})

describe('records', () => {
  it('keeps rows of different kinds apart', async () => {
    await store.pins.put(Uint8Array.of(1), Uint8Array.of(2))
    await store.named.put(Uint8Array.of(1), Uint8Array.of(3))
    await reopen()
    expect(store.pins.get(Uint8Array.of(1))).toEqual(Uint8Array.of(2))
    const rows = []
    for await (const row of store.named.entries()) rows.push(row)
    expect(rows).toEqual([[Uint8Array.of(1), Uint8Array.of(3)]])
    await store.pins.delete(Uint8Array.of(1))
    expect(store.pins.get(Uint8Array.of(1))).toBeUndefined()
  })
})
