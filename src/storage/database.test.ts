import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FRAME_HEADER_LENGTH } from './records.js'
import { WriteBatch, openDatabase } from './database.js'
import { DataDirectoryError, StorageWriteError } from './errors.js'

const bytes = (...values: number[]) => Uint8Array.from(values)
const text = (value: string) => new TextEncoder().encode(value)

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'standin-database-test-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const writeAheadFiles = (where = directory) =>
  readdirSync(where)
    .filter((name) => name.startsWith('write-ahead-'))
    .map((name) => join(where, name))

/** Copies the directory as a process killed now would leave it. */
const snapshotOfDisk = (name: string) => {
  const copy = join(directory, '..', `${name}-${process.pid}-${Math.random().toString(36).slice(2)}`)
  cpSync(directory, copy, { recursive: true })
  return copy
}

describe('get and write', () => {
  it('reads a batch immediately, before and after it reaches LevelDB, and after a reopen', async () => {
    const database = await openDatabase({ directory, sync: false })
    database.write(new WriteBatch().put(bytes(1), text('one')).put(bytes(2), text('two')))
    database.write(new WriteBatch().delete(bytes(1)).put(bytes(2), text('zwei')))
    const check = (from: typeof database) => {
      expect(from.get(bytes(1))).toBeUndefined()
      expect(Buffer.from(from.get(bytes(2)) ?? []).toString()).toBe('zwei')
      expect(from.get(bytes(3))).toBeUndefined()
    }
    check(database)
    await database.flush()
    check(database)
    await database.close()
    const reopened = await openDatabase({ directory, sync: true })
    check(reopened)
    await reopened.close()
  })

  it('reads values of megabytes among short ones once they are in LevelDB', async () => {
    const database = await openDatabase({ directory, sync: false })
    const values = [3_000_000, 5, 700_000, 600_000, 1024 * 1024, 1024 * 1024 + 1, 9].map((length, index) =>
      new Uint8Array(length).fill(index + 1),
    )
    const batch = new WriteBatch()
    for (const [index, value] of values.entries()) batch.put(bytes(index), value)
    database.write(batch)
    await database.flush()
    await database.close()
    const reopened = await openDatabase({ directory, sync: false })
    for (const [index, value] of values.entries()) {
      expect(Buffer.from(reopened.get(bytes(index)) ?? []).equals(value), `of ${value.length} bytes`).toBe(
        true,
      )
    }
    await reopened.close()
  })

  it('returns bytes whose slices are copies, from LevelDB and from records', async () => {
    const database = await openDatabase({ directory, sync: false })
    const [position = 0] = database.records.append([[bytes(1, 2, 3)]])
    database.write(new WriteBatch().put(bytes(1), text('one')))
    await database.flush()
    for (const read of [() => database.get(bytes(1))!, () => database.records.read(position, 0, 3)]) {
      read().slice().fill(0)
      const kept = read()
      kept.slice().fill(0)
      expect(kept.every((byte) => byte !== 0)).toBe(true)
    }
    await database.close()
  })

  it('keeps reading its own writes while they go to LevelDB in the background', async () => {
    const database = await openDatabase({ directory, sync: false, writeBufferBytes: 10_000 })
    const expected = new Map<number, number>()
    for (let round = 0; round < 3000; round++) {
      const key = round % 701
      expected.set(key, round)
      database.write(new WriteBatch().put(bytes(key >> 8, key & 255), bytes(round >> 8, round & 255)))
      if (round % 50 === 0) await new Promise(setImmediate)
      const probe = (round * 31) % 701
      const value = database.get(bytes(probe >> 8, probe & 255))
      expect(value && (value[0] ?? 0) * 256 + (value[1] ?? 0)).toBe(expected.get(probe))
    }
    await database.flush()
    expect(writeAheadFiles()).toHaveLength(1)
    await database.close()
  })

  it('shows nothing of a batch that could not be written', async () => {
    const database = await openDatabase({ directory, sync: false })
    database.write(new WriteBatch().put(bytes(1), text('kept')))
    await database.close()
    expect(() => database.write(new WriteBatch().put(bytes(2), text('lost')))).toThrow(
      'Could not append to the write-ahead file',
    )
  })
})

it('keeps bulk in the record file and finds it again, before and after a kill', async () => {
  const database = await openDatabase({ directory, sync: true })
  const values = Array.from({ length: 30 }, (_, i) => text(`node ${i}, `.repeat(i + 1)))
  const batch = new WriteBatch().put(bytes(1), text('small'))
  for (const [i, value] of values.entries()) batch.putBulk(bytes(2, i), value)
  database.write(batch)
  const check = (from: typeof database) => {
    for (const [i, value] of values.entries()) {
      expect(Buffer.compare(from.getBulk(bytes(2, i)) ?? bytes(), value)).toBe(0)
    }
    expect(from.getBulk(bytes(2, values.length))).toBeUndefined()
    expect(Buffer.from(from.get(bytes(1)) ?? []).toString()).toBe('small')
  }
  check(database)
  const killed = snapshotOfDisk('bulk')
  await database.flush()
  check(database)
  await database.close()
  const reopened = await openDatabase({ directory: killed, sync: false })
  check(reopened)
  await reopened.close()
  rmSync(killed, { recursive: true })
})

it('writes records with any number of pieces and rows', async () => {
  const database = await openDatabase({ directory, sync: false })
  const count = 200_000
  const pieces = Array.from({ length: count }, (_, i) => Uint8Array.of(i, i >>> 8, i >>> 16))
  const placed: number[] = []
  const batch = new WriteBatch().putRecord({ pieces: [text('before')], rows: () => [] }).putRecord({
    pieces,
    rows: (position) => {
      placed.push(position)
      return pieces.map((key) => ({ key, value: bytes(1) }))
    },
  })
  database.write(batch)
  const [position = 0] = placed
  expect(Buffer.from(database.records.read(position, 3 * (count - 1), 3))).toEqual(
    Buffer.from(pieces.at(-1) ?? []),
  )
  expect(database.get(bytes(0x3f, 0x0d, 0x03))).toEqual(bytes(1))
  await database.close()
})

describe('after a crash', () => {
  it('recovers several write-ahead files, newest change of a key last, and walks over them', async () => {
    const database = await openDatabase({ directory, sync: false })
    const copies: string[] = []
    for (let round = 0; round < 3; round++) {
      database.write(new WriteBatch().put(bytes(round), bytes(round)).put(bytes(9), bytes(round)))
      const [file = ''] = writeAheadFiles()
      const copy = join(directory, '..', `write-ahead-${process.pid}-${round}`)
      cpSync(file, copy)
      copies.push(copy)
      await database.flush()
    }
    const killed = snapshotOfDisk('several')
    await database.close()
    for (const file of writeAheadFiles(killed)) rmSync(file)
    for (const [round, copy] of copies.entries()) {
      cpSync(copy, join(killed, `write-ahead-${String(round).padStart(10, '0')}.log`))
      rmSync(copy)
    }
    const reopened = await openDatabase({ directory: killed, sync: false })
    reopened.write(new WriteBatch().delete(bytes(1)).put(bytes(4), bytes(4)))
    const walk = async () => {
      const found: number[][] = []
      for await (const [key, value] of reopened.iterate({ gte: bytes(0), lt: bytes(10) })) {
        found.push([...key, ...value])
      }
      return found
    }
    const expected = [
      [0, 0],
      [2, 2],
      [4, 4],
      [9, 2],
    ]
    expect(await walk()).toEqual(expected)
    await reopened.flush()
    expect(writeAheadFiles(killed)).toHaveLength(1)
    expect(await walk()).toEqual(expected)
    await reopened.close()
    rmSync(killed, { recursive: true })
  })

  it('replays whole records and drops a tail cut at any byte', async () => {
    const database = await openDatabase({ directory, sync: false })
    const ends: number[] = []
    const [file = ''] = writeAheadFiles()
    for (let i = 0; i < 4; i++) {
      database.write(new WriteBatch().put(bytes(i), text(`value ${i}`)).put(bytes(100), bytes(i)))
      ends.push(readFileSync(file).length)
    }
    const killed = snapshotOfDisk('torn')
    await database.close()
    for (let length = 0; length <= (ends.at(-1) ?? 0); length++) {
      const copy = `${killed}-cut`
      cpSync(killed, copy, { recursive: true })
      const [torn = ''] = writeAheadFiles(copy)
      truncateSync(torn, length)
      const whole = ends.filter((end) => end <= length).length
      const reopened = await openDatabase({ directory: copy, sync: false })
      for (let i = 0; i < 4; i++) expect(reopened.get(bytes(i)) !== undefined).toBe(i < whole)
      expect(reopened.get(bytes(100))?.[0]).toBe(whole === 0 ? undefined : whole - 1)
      await reopened.close()
      rmSync(copy, { recursive: true })
    }
    rmSync(killed, { recursive: true })
  })

  it('refuses a record with any bit flipped, and names its file', async () => {
    const database = await openDatabase({ directory, sync: false })
    const [file = ''] = writeAheadFiles()
    database.write(new WriteBatch().put(bytes(1), text('kept')))
    const start = readFileSync(file).length
    database.write(new WriteBatch().put(bytes(2), text('damaged')))
    const end = readFileSync(file).length
    database.write(new WriteBatch().put(bytes(3), text('behind it')))
    const whole = readFileSync(file)
    const killed = snapshotOfDisk('flipped')
    await database.close()
    for (let position = start; position < end; position++) {
      const copy = `${killed}-flip`
      cpSync(killed, copy, { recursive: true })
      const damaged = Buffer.from(whole)
      damaged[position] = (damaged[position] ?? 0) ^ (1 << (position % 8))
      writeFileSync(writeAheadFiles(copy)[0] ?? '', damaged)
      await expect(openDatabase({ directory: copy, sync: false })).rejects.toThrow(
        /write-ahead-0000000000\.log is damaged at byte \d+/,
      )
      rmSync(copy, { recursive: true })
    }
    rmSync(killed, { recursive: true })
  })

  it('drops a tail of zeros, which a power loss leaves', async () => {
    const database = await openDatabase({ directory, sync: false })
    database.write(new WriteBatch().put(bytes(1), text('kept')))
    const killed = snapshotOfDisk('zeros')
    await database.close()
    const [file = ''] = writeAheadFiles(killed)
    appendFileSync(file, Buffer.alloc(10_000))
    const reopened = await openDatabase({ directory: killed, sync: false })
    expect(reopened.get(bytes(1))).toBeDefined()
    await reopened.close()
    rmSync(killed, { recursive: true })
  })

  it('cuts records that no batch refers to, and keeps the others', async () => {
    const database = await openDatabase({ directory, sync: false })
    const [position = 0] = database.records.append([[text('kept '), text('record')]])
    database.write(new WriteBatch().put(bytes(1), bytes(1)))
    database.records.append([[text('never referred to')]])
    const killed = snapshotOfDisk('records')
    await database.close()
    appendFileSync(join(killed, 'records', '000000.rec'), 'and torn')
    const reopened = await openDatabase({ directory: killed, sync: false })
    expect(Buffer.from(reopened.records.read(position, 5, 6)).toString()).toBe('record')
    const [next = 0] = reopened.records.append([[text('next')]])
    expect(next).toBe(position + 'kept record'.length + FRAME_HEADER_LENGTH)
    expect(Buffer.from(reopened.records.read(next, 0, 4)).toString()).toBe('next')
    await reopened.close()
    rmSync(killed, { recursive: true })
  })

  it('refuses a record file shorter than its committed length', async () => {
    const database = await openDatabase({ directory, sync: false })
    database.records.append([[text('a record')]])
    database.write(new WriteBatch().put(bytes(1), bytes(1)))
    await database.close()
    truncateSync(join(directory, 'records', '000000.rec'), 3)
    await expect(openDatabase({ directory, sync: false })).rejects.toThrow(DataDirectoryError)
  })
})

describe('records', () => {
  it('continue in a new segment when one is full, and stay readable across many', async () => {
    const database = await openDatabase({ directory, sync: false, segmentBytes: 100 })
    const positions = Array.from(
      { length: 60 },
      (_, i) => database.records.append([[text(`record number ${i}`)]])[0] ?? 0,
    )
    expect(new Set(positions).size).toBe(60)
    database.write(new WriteBatch().put(bytes(1), bytes(1)))
    const check = (from: typeof database) => {
      for (const [i, position] of positions.entries()) {
        expect(Buffer.from(from.records.read(position, 7, 7 + String(i).length)).toString()).toBe(
          `number ${i}`,
        )
      }
    }
    check(database)
    await database.close()
    const reopened = await openDatabase({ directory, sync: true, segmentBytes: 100 })
    check(reopened)
    expect(() => reopened.records.read(positions.at(-1) ?? 0, 0, 1000)).toThrow(DataDirectoryError)
    await reopened.close()
    expect(existsSync(join(directory, 'records', '000009.rec'))).toBe(true)
  })

  it('of megabytes are written ahead of their batch, beside other writes, and survive a kill with it', async () => {
    const database = await openDatabase({ directory, sync: true })
    database.write(new WriteBatch().putBulk(bytes(1), text('before')))
    const large = Buffer.alloc(9_000_000, 'a large value ')
    const batch = new WriteBatch().putBulk(bytes(2), large).putBulk(bytes(3), text('beside it'))
    let isWritten = false
    const written = database.writeLargeRecords(batch).then(() => (isWritten = true))
    while (!existsSync(join(directory, 'records', '000001.rec'))) await nextTurn()
    expect(isWritten).toBe(false)
    database.write(new WriteBatch().putBulk(bytes(4), text('while it is written')))
    const killedEarly = snapshotOfDisk('early')
    expect(existsSync(join(killedEarly, 'records', '000002.rec'))).toBe(true)
    await written
    database.write(new WriteBatch().putBulk(bytes(5), text('once it is written')))
    expect(database.get(bytes(2))).toBeUndefined()
    const killedLate = snapshotOfDisk('late')
    database.write(batch)
    const killed = snapshotOfDisk('whole')
    await database.close()
    const values = async (from: string) => {
      const reopened = await openDatabase({ directory: from, sync: false })
      const found = [1, 2, 3, 4, 5].map((key) => {
        const value = reopened.getBulk(bytes(key))
        return value?.length === large.length ? large.equals(value) : value && Buffer.from(value).toString()
      })
      reopened.write(new WriteBatch().putBulk(bytes(6), text('afterwards')))
      expect(Buffer.from(reopened.getBulk(bytes(6)) ?? []).toString()).toBe('afterwards')
      await reopened.close()
      return found
    }
    const early = ['before', undefined, undefined, 'while it is written', undefined]
    expect(await values(killedEarly)).toEqual(early)
    expect(await values(killedLate)).toEqual([...early.slice(0, 4), 'once it is written'])
    expect(await values(killed)).toEqual(await values(directory))
    expect(await values(killed)).toEqual([
      'before',
      true,
      'beside it',
      'while it is written',
      'once it is written',
    ])
    const file = join(killed, 'records', '000001.rec')
    const damaged = readFileSync(file)
    damaged[5_000_000] = damaged[5_000_000]! ^ 1
    writeFileSync(file, damaged)
    await expect(values(killed)).rejects.toThrow(/000001\.rec is damaged at byte 12/)
    for (const copy of [killedEarly, killedLate, killed]) rmSync(copy, { recursive: true })
  })

  it.skipIf(process.platform !== 'linux')(
    'of megabytes that the disk refuses change nothing, and the next one is stored',
    async () => {
      const database = await openDatabase({ directory, sync: false })
      database.write(new WriteBatch().putBulk(bytes(1), text('before')))
      const batch = () => new WriteBatch().putBulk(bytes(2), Buffer.alloc(5_000_000, 7))
      symlinkSync('/dev/full', join(directory, 'records', '000001.rec'))
      await expect(database.writeLargeRecords(batch())).rejects.toThrow(StorageWriteError)
      expect(existsSync(join(directory, 'records', '000001.rec'))).toBe(false)
      database.write(new WriteBatch().putBulk(bytes(3), text('after')))
      const next = batch()
      await database.writeLargeRecords(next)
      database.write(next)
      await database.close()
      const reopened = await openDatabase({ directory, sync: false })
      expect([1, 2, 3].map((key) => reopened.getBulk(bytes(key))?.length)).toEqual([6, 5_000_000, 5])
      await reopened.close()
    },
  )

  it('are intact with empty pieces, whether or not these have memory', async () => {
    const database = await openDatabase({ directory, sync: false })
    const [position = 0] = database.records.append([
      [text('begin'), new Uint8Array(0), text(' and '), new Uint8Array(new ArrayBuffer(0)), text('end')],
    ])
    database.write(new WriteBatch().put(bytes(1), bytes(1)))
    await database.close()
    const reopened = await openDatabase({ directory, sync: false })
    expect(Buffer.from(reopened.records.read(position, 0, 13)).toString()).toBe('begin and end')
    await reopened.close()
  })

  it('are refused with any bit flipped once the database is reopened', async () => {
    const database = await openDatabase({ directory, sync: false })
    const [first = 0, second = 0] = database.records.append([
      [text('a first '), text('record')],
      [text('a second')],
    ])
    database.write(new WriteBatch().put(bytes(1), bytes(1)))
    await database.close()
    const file = join(directory, 'records', '000000.rec')
    const whole = readFileSync(file)
    for (let position = 0; position < second - FRAME_HEADER_LENGTH; position++) {
      const damaged = Buffer.from(whole)
      damaged[position] = (damaged[position] ?? 0) ^ (1 << (position % 8))
      writeFileSync(file, damaged)
      const reopened = await openDatabase({ directory, sync: false })
      expect(() => reopened.records.read(first, 2, 5)).toThrow(/000000\.rec is damaged at byte 12/)
      expect(Buffer.from(reopened.records.read(second, 2, 6)).toString()).toBe('second')
      await reopened.close()
    }
  })
})
