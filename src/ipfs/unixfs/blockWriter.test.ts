import { createCipheriv } from 'node:crypto'
import { expect, it } from 'vitest'
import { BlockWriter } from './blockWriter.js'
import { createFileBuilder } from './fileBuilder.js'
import { importSettings } from '../configuration/importSettings.js'

const stream = createCipheriv('chacha20', Buffer.alloc(32, 5), Buffer.alloc(16)).update(
  Buffer.alloc(40 * 262_144 + 100),
)

async function* inPieces(): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < stream.length; start += 65_536) yield stream.subarray(start, start + 65_536)
}

it('reuses memory only once its block is stored', async () => {
  const settings = await importSettings('unixfs-v1-2025')
  const memories = new Set<ArrayBufferLike>()
  const stored: Buffer[] = []
  const writer = new BlockWriter(settings.cid, async (cid, bytes) => {
    memories.add(bytes.buffer)
    await new Promise((resolve) => setTimeout(resolve, 1))
    if (cid.code === 0x55) stored.push(Buffer.from(bytes))
  })
  await createFileBuilder({ ...settings, chunker: 'size-262144' }, writer)(inPieces())
  await writer.stored()
  expect(Buffer.concat(stored).equals(stream)).toBe(true)
  expect(memories.size).toBeLessThan(40)
})

it('waits while too many small blocks are in flight', async () => {
  const settings = await importSettings('unixfs-v1-2025')
  let [waiting, most] = [0, 0]
  let round: Promise<void> | undefined
  const storeTogether = (): Promise<void> => {
    most = Math.max(most, ++waiting)
    round ??= new Promise((resolve) =>
      setTimeout(() => {
        ;[waiting, round] = [0, undefined]
        resolve()
      }, 20),
    )
    return round
  }
  const writer = new BlockWriter(settings.cid, storeTogether)
  for (let index = 0; index < 5000; index++) await writer.write(0x55, Buffer.from(`block ${index}`))
  await writer.stored()
  expect(most).toBeGreaterThan(100)
  expect(most).toBeLessThanOrEqual(1025)
})
