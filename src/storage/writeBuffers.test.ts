import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeBuffers } from './segmentFiles.js'

const MEBIBYTE = 1024 * 1024

let directory: string
let path: string
let handle: FileHandle
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'standin-write-buffers-test-'))
  path = join(directory, 'file')
  handle = await open(path, 'w+')
})
afterEach(async () => {
  await handle.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Records of a large file as an upload writes them: a small head and a chunk each. */
function records(count: number): Buffer[] {
  return Array.from({ length: count }, () => [randomBytes(86), randomBytes(262_144)]).flat()
}

const total = (buffers: readonly Uint8Array[]): number => buffers.reduce((sum, { length }) => sum + length, 0)

/** Writes to the file like the system, and records each call. */
function recordedWrite(calls: (readonly Uint8Array[])[]) {
  return async (buffers: readonly Uint8Array[], position: number): Promise<number> => {
    calls.push(buffers)
    return (await handle.writev(buffers, position)).bytesWritten
  }
}

it('writes all buffers in place, in calls below 2 MiB', async () => {
  const calls: (readonly Uint8Array[])[] = []
  const buffers = [...records(17), randomBytes(3 * MEBIBYTE), ...records(2)]
  await writeBuffers(recordedWrite(calls), 1000, buffers)
  const written = readFileSync(path)
  expect(written.subarray(0, 1000)).toEqual(Buffer.alloc(1000))
  expect(written.subarray(1000).equals(Buffer.concat(buffers))).toBe(true)
  const large = calls.filter((given) => total(given) >= 2 * MEBIBYTE)
  expect(large.map((given) => given.map(({ length }) => length))).toEqual([[3 * MEBIBYTE]])
  // Seven records of 262,230 bytes and the head of the next fit below 2 MiB; the rest of that one comes with six
  // more.
  expect(calls.map(({ length }) => length)).toEqual([15, 14, 5, 1, 4])
})

it('continues after a short write', async () => {
  const write = recordedWrite([])
  const buffers = records(10)
  await writeBuffers(([first], position) => write([first!.subarray(0, 5000)], position), 0, buffers)
  expect(readFileSync(path).equals(Buffer.concat(buffers))).toBe(true)
})

it('fails when a call fails, once no other is in progress', async () => {
  const write = recordedWrite([])
  let finished = 0
  const buffers = records(20)
  const writing = writeBuffers(
    async (given, position) => {
      if (position === 0) throw new Error('no space left on device')
      const written = await write(given, position)
      finished += written
      return written
    },
    0,
    buffers,
  )
  await expect(writing).rejects.toThrow('no space left on device')
  expect(finished).toBe(total(buffers) - 7 * 262_230 - 86)
})
