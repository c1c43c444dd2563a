import { createCipheriv } from 'node:crypto'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced, trickle } from 'ipfs-unixfs-importer/layout'
import type { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { hashFunctionByName } from '../cid/cidFormat.js'
import { BlockWriter, discardBlock } from './blockWriter.js'
import { buildDirectory } from './directoryBuilder.js'
import { createFileBuilder } from './fileBuilder.js'
import type { UnixfsLink } from './node.js'
import { importSettings } from '../configuration/importSettings.js'

const stream = createCipheriv('chacha20', Buffer.alloc(32, 3), Buffer.alloc(16)).update(Buffer.alloc(200_000))
const nowhere = { put: (cid: CID): CID => cid }

/** Root CID from the importer library: an implementation that shares no code with ours. */
async function importedBy(
  files: { path: string; content: Uint8Array }[],
  options: Parameters<typeof importer>[2],
): Promise<string> {
  let root = ''
  for await (const { cid } of importer(files, nowhere, options)) root = cid.toString()
  return root
}

async function* inOnePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}

describe('files match those of the importer library', () => {
  const sizes = [0, 1, 64, 65, 64 * 5, 64 * 5 + 1, 64 * 25, 64 * 25 + 1, 64 * 126 + 3, 20_000]
  const cases = sizes.flatMap((size) =>
    // For no chunks or with subtrees, the library's trickle DAGs differ from boxo's.
    (['balanced', 'trickle'] as const)
      .filter((layout) => layout === 'balanced' || (size > 0 && size <= 64 * 5))
      .flatMap((layout) => [true, false].map((rawLeaves) => [size, layout, rawLeaves] as const)),
  )
  it.each(cases)('%i bytes, %s, raw leaves %s', async (size, layout, rawLeaves) => {
    const content = stream.subarray(0, size)
    const settings = await importSettings('unixfs-v0-2015')
    const writer = new BlockWriter({ ...settings.cid, version: 1 }, discardBlock)
    const own = { ...settings, layout, rawLeaves, chunker: 'size-64', maxFileLinks: 5 }
    const build = createFileBuilder(own, writer)
    const streamed = await build(inOnePiece(content))
    const whole = await build(Object.assign(inOnePiece(content), { whole: content }))
    const layouts = {
      balanced: balanced({ maxChildrenPerNode: 5 }),
      trickle: trickle({ maxChildrenPerNode: 5 }),
    }
    const expected = await importedBy([{ path: 'f', content }], {
      cidVersion: 1,
      rawLeaves,
      leafType: layout === 'trickle' ? 'raw' : 'file',
      chunker: fixedSize({ chunkSize: 64 }),
      layout: layouts[layout],
      reduceSingleLeafToSelf: layout === 'balanced',
    })
    expect([streamed.cid.toString(), whole.cid.toString()]).toEqual([expected, expected])
  })
})

describe('directories match those of the importer library', () => {
  it.each([
    [3, 262_144],
    [3, 0],
    [700, 0],
    [5000, 262_144],
  ])('%i entries, sharded above %i bytes', async (count, shardThreshold) => {
    const settings = await importSettings('unixfs-v0-2015')
    const hash = await hashFunctionByName('sha2-256')
    const writer = new BlockWriter({ version: 1, hash }, discardBlock)
    const files = Array.from({ length: count }, (_, n) => ({
      path: `d/name ${n} of a file`,
      content: Buffer.from(`content ${n}`),
    }))
    const links: UnixfsLink[] = []
    for (const { path, content } of files) {
      const file = await createFileBuilder({ ...settings, rawLeaves: true }, writer)(inOnePiece(content))
      links.push({ name: path.slice(2), cid: file.cid, size: file.size })
    }
    const { cid } = await buildDirectory({
      links: links.reverse(),
      settings: { ...settings.directory, shardThreshold },
      writer,
    })
    const expected = await importedBy(files, {
      cidVersion: 1,
      rawLeaves: true,
      shardSplitThresholdBytes: shardThreshold,
      shardSplitStrategy: 'links-bytes',
    })
    expect(cid.toString()).toBe(expected)
  })
})
