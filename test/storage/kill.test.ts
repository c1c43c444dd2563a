import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '../../src/storage/database.js'
import { type BundledProgram, bundleProgram } from '../support/bundledProcess.js'

/**
 * Writes numbered batches as fast as possible and acknowledges each. Batch n sets 'last' to n and adds a record with
 * every byte n % 251, its position and three rows. Small buffers make LevelDB write tables and segments fill up.
 */
const source = `
  import { writeSync } from 'node:fs'
  import { WriteBatch, openDatabase } from './src/storage/database.js'
  const number = (value) => { const bytes = Buffer.alloc(8); bytes.writeDoubleBE(value); return bytes }
  const row = (n, i) => Buffer.concat([Buffer.from('row'), number(n), Buffer.from([i])])
  const database = await openDatabase({
    directory: process.argv[2], sync: false, writeBufferBytes: 20_000, segmentBytes: 100_000,
  })
  const last = database.get(Buffer.from('last'))
  for (let n = last === undefined ? 1 : Buffer.from(last).readDoubleBE(0) + 1; ; n++) {
    const record = Buffer.alloc(1 + (n * 7919) % 900, n % 251)
    const [position] = database.records.append([[record.subarray(0, 1), record.subarray(1)]])
    const batch = new WriteBatch().put(Buffer.from('last'), number(n))
    batch.put(Buffer.concat([Buffer.from('record'), number(n)]), Buffer.concat([number(position), number(record.length)]))
    for (let i = 0; i < 3; i++) batch.put(row(n, i), Buffer.alloc(50, i))
    if (n > 5) batch.delete(row(n - 5, 0))
    database.write(batch)
    writeSync(1, n + '\\n')
    if (n % 10 === 0) await new Promise(setImmediate)
  }
`

let program: BundledProgram
let directory: string
beforeAll(async () => {
  program = await bundleProgram(source)
  directory = mkdtempSync(join(tmpdir(), 'standin-kill-test-'))
})
afterAll(() => {
  program.remove()
  rmSync(directory, { recursive: true, force: true })
})

const number = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}
const key = (name: string, n: number, ...rest: number[]) =>
  Buffer.concat([Buffer.from(name), number(n), Buffer.from(rest)])

it('has every acknowledged batch whole after kill -9 at any time, and none that was never begun', async () => {
  let checked = 0
  for (let round = 0; round < 15; round++) {
    const child = program.run(directory)
    let output = ''
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString()
      // At a different time in each round, mostly during a write or LevelDB's background work.
      if (output.length > 10 + round * 397) child.kill('SIGKILL')
    })
    await new Promise((resolve) => child.once('close', resolve))
    const acknowledged = Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1))
    const database = await openDatabase({ directory, sync: false, segmentBytes: 100_000 })
    const last = Buffer.from(database.get(Buffer.from('last')) ?? []).readDoubleBE(0)
    expect(last).toBeGreaterThanOrEqual(acknowledged)
    for (let n = checked + 1; n <= last + 1; n++) {
      const found = database.get(key('record', n))
      expect(found !== undefined).toBe(n <= last)
      expect([0, 1, 2].map((i) => database.get(key('row', n, i)) !== undefined)).toEqual([
        n <= last && n > last - 5,
        n <= last,
        n <= last,
      ])
      if (found === undefined) continue
      const [position, length] = [Buffer.from(found).readDoubleBE(0), Buffer.from(found).readDoubleBE(8)]
      expect(length).toBe(1 + ((n * 7919) % 900))
      expect(database.records.read(position, 0, length).every((byte) => byte === n % 251)).toBe(true)
    }
    checked = Math.max(0, last - 5)
    await database.close()
  }
})
