import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { countTurnsByClockReads } from '../../../test/support/turns.js'
import { cidKey, hashFunctionByName } from '../cid/cidFormat.js'
import { BlockWriter, discardBlock } from './blockWriter.js'
import { loadEntry } from './entry.js'
import { editHamt, writeHamt } from './hamt.js'
import type { UnixfsLink } from './node.js'

const blocks = new Map<string, Uint8Array>()
const source = {
  get: (cid: CID): Promise<Uint8Array> => Promise.resolve(blocks.get(cidKey(cid)) as Uint8Array),
}

function linkTo(name: string, content = name): UnixfsLink {
  const digest = createHash('sha256').update(content).digest()
  return { name, cid: CID.createV1(0x55, Digest.create(0x12, digest)), size: content.length }
}

it('matches a directory stored from scratch, regardless of what was set and removed', async () => {
  const hash = await hashFunctionByName('sha2-256')
  const writer = new BlockWriter({ version: 1, hash }, (cid, bytes) => {
    blocks.set(cidKey(cid), Uint8Array.from(bytes))
    return Promise.resolve()
  })
  const metadata = { mode: 0o755 }
  for (const fanout of [8, 256]) {
    const links = new Map(Array.from({ length: 700 }, (_, index) => [`e${index}`, linkTo(`e${index}`)]))
    const storeAll = async (): Promise<CID> =>
      (await writeHamt({ links: [...links.values()], fanout, writer, metadata })).cid
    let root = await storeAll()
    for (let round = 0; round < 350; round++) {
      const removed = `e${(round * 389) % 700}`
      const replaced = linkTo(`e${(round * 13) % 700}`, `round ${round}`)
      const added = linkTo(`added ${round}`)
      const changes = new Map<string, UnixfsLink | undefined>([
        [replaced.name, replaced],
        [removed, undefined],
        [`added ${round - 1}`, undefined],
        [`not there ${round}`, undefined],
        [added.name, added],
      ])
      const edited = await editHamt({
        source,
        root: await loadEntry(source, root),
        changes,
        writer,
        writerOf: () => Promise.resolve(writer),
        metadata,
      })
      await writer.stored()
      root = edited.cid
      for (const [name, link] of changes) {
        if (link) links.set(name, link)
        else links.delete(name)
      }
      if (round % 25 > 0) continue
      expect(root.toString()).toBe((await storeAll()).toString())
    }
    expect(root.toString()).toBe((await storeAll()).toString())
  }
})

it('yields while it stores a large directory', async () => {
  const writer = new BlockWriter({ version: 0, hash: await hashFunctionByName('sha2-256') }, discardBlock)
  const cid = CID.parse('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
  const links = Array.from({ length: 5000 }, (_, index) => ({ name: `file ${index}`, cid, size: 6 }))
  const turns = await countTurnsByClockReads(() => writeHamt({ links, fanout: 256, writer, metadata: {} }))
  // 5000 names in 256 slots: nearly every slot of the root has its own shard, and names are hashed first.
  expect(turns).toBeGreaterThan(200 + 500)
})
