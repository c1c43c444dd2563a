import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SegmentFiles } from './segmentFiles.js'

const SEGMENTS = 150
const LENGTH = 70_000

let directory: string
let files: SegmentFiles
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'standin-segments-test-'))
  files = new SegmentFiles({ directory, digits: 8, extension: 'blocks' })
})
afterEach(() => {
  files.close()
  rmSync(directory, { recursive: true, force: true })
})

it('keeps a file open under its readers, however many others are opened meanwhile', async () => {
  for (let segment = 1; segment <= SEGMENTS; segment++) {
    await files.write(segment, 0, [new Uint8Array(LENGTH).fill(segment)])
  }
  const readers = Array.from({ length: 8 * SEGMENTS }, async (_, reader) => {
    const segment = 1 + ((reader * 7) % SEGMENTS)
    const bytes = await files.read(segment, 0, new Uint8Array(LENGTH))
    return bytes.every((byte) => byte === segment % 256)
  })
  expect((await Promise.all(readers)).every(Boolean)).toBe(true)
})

it('reports a missing file, and opens it once it exists', async () => {
  await expect(files.read(1, 0, new Uint8Array(1))).rejects.toMatchObject({ code: 'ENOENT' })
  await files.write(1, 0, [Uint8Array.of(7)])
  expect(await files.read(1, 0, new Uint8Array(1))).toEqual(Uint8Array.of(7))
})
