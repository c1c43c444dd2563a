import { CID } from 'multiformats/cid'
import { expect, it } from 'vitest'
import { importSettings } from '../configuration/importSettings.js'
import { hashFunctionByName } from '../cid/cidFormat.js'
import { BlockWriter } from '../unixfs/blockWriter.js'
import { buildDirectory } from '../unixfs/directoryBuilder.js'
import { DirectoryCache } from './directoryCache.js'

class CountingSource {
  readonly blocks = new Map<string, Uint8Array>()
  reads = 0

  has(cid: CID): boolean {
    return this.blocks.has(cid.toString())
  }

  get(cid: CID): Promise<Uint8Array> {
    this.reads++
    const bytes = this.blocks.get(cid.toString())
    return bytes ? Promise.resolve(bytes) : Promise.reject(new Error('not stored'))
  }
}

/** Stores a directory of `count` entries whose names begin with `prefix`. */
async function store(source: CountingSource, prefix: string, count: number): Promise<CID> {
  const hash = await hashFunctionByName('sha2-256')
  const writer = new BlockWriter({ version: 1, hash }, async (cid, bytes) => {
    source.blocks.set(cid.toString(), bytes)
  })
  const cid = CID.parse('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
  const links = Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}`, cid, size: 6 }))
  const { directory } = await importSettings('unixfs-v0-2015')
  const node = await buildDirectory({ links, settings: directory, writer })
  await writer.stored()
  return node.cid
}

it('decodes a directory once, however many ask at the same time', async () => {
  const source = new CountingSource()
  const cid = await store(source, 'a', 3)
  const cache = new DirectoryCache(source)
  const [first, second] = await Promise.all([cache.load(cid), cache.load(cid)])
  expect(first.node?.links.map(({ name }) => name)).toEqual(['a0', 'a1', 'a2'])
  expect([second === first, (await cache.load(cid)) === first, source.reads]).toEqual([true, true, 1])
})

it('misses a directory whose block was removed', async () => {
  const source = new CountingSource()
  const cid = await store(source, 'a', 3)
  const cache = new DirectoryCache(source)
  await cache.load(cid)
  source.blocks.clear()
  await expect(cache.load(cid)).rejects.toThrow('not stored')
})

it('forgets the directories read longest ago', async () => {
  const source = new CountingSource()
  const cids = []
  for (let index = 0; index < 6; index++) cids.push(await store(source, `${index}-`, 4500))
  expect(source.blocks.get(String(cids[0]))!.length).toBeGreaterThan(200_000)
  const cache = new DirectoryCache(source)
  for (const cid of cids) await cache.load(cid)
  for (const cid of cids.toReversed().slice(0, 4)) await cache.load(cid)
  expect(source.reads).toBe(6)
  await cache.load(cids[0]!)
  expect(source.reads).toBe(7)
})
