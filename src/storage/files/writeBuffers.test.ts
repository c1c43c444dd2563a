import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
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

/** Records of a large file, as an upload writes them: a small head and a chunk each. */
function records(count: number): Buffer[] {
  return Array.from({ length: count }, () => [randomBytes(86), randomBytes(262_144)]).flat()
}

const total = (buffers: readonly ArrayBufferView[]): number =>
  buffers.reduce((sum, buffer) => sum + buffer.byteLength, 0)

it('writes all buffers where they belong, in calls below 2 MiB', async () => {
  const writev = vi.spyOn(handle, 'writev')
  const buffers = [...records(17), randomBytes(3 * MEBIBYTE), ...records(2)]
  await writeBuffers(handle, 1000, buffers)
  const written = readFileSync(path)
  expect(written.subarray(0, 1000)).toEqual(Buffer.alloc(1000))
  expect(written.subarray(1000).equals(Buffer.concat(buffers))).toBe(true)
  const calls = writev.mock.calls.map(([given]) => ({ buffers: given.length, bytes: total(given) }))
  expect(calls.filter(({ bytes }) => bytes >= 2 * MEBIBYTE)).toEqual([{ buffers: 1, bytes: 3 * MEBIBYTE }])
  // Seven records of 262,230 bytes and the head of the next fit below 2 MiB; the rest of that one comes with six more.
  expect(calls.map(({ buffers: count }) => count)).toEqual([15, 14, 5, 1, 4])
})

it('goes on where the system has written less than it was given', async () => {
  const { writev } = handle
  vi.spyOn(handle, 'writev').mockImplementation((given, position) =>
    writev.call(handle, [(given[0] as Uint8Array).subarray(0, 50)], position),
  )
  const buffers = records(10)
  await writeBuffers(handle, 0, buffers)
  expect(readFileSync(path).equals(Buffer.concat(buffers))).toBe(true)
})

it('fails when a call fails, once no other is under way', async () => {
  const { writev } = handle
  const finished: number[] = []
  vi.spyOn(handle, 'writev').mockImplementation(async (given, position = 0) => {
    if (position === 0) throw new Error('no space left on device')
    const result = await writev.call(handle, given, position)
    finished.push(total(given))
    return result
  })
  const buffers = records(20)
  await expect(writeBuffers(handle, 0, buffers)).rejects.toThrow('no space left on device')
  expect(finished.reduce((sum, bytes) => sum + bytes, 0)).toBe(total(buffers) - 7 * 262_230 - 86)
})
