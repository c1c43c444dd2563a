import { encode } from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { cidKey, forgetful } from '../cid/cidFormat.js'
import { encodeUnixfs, unixfsType } from './data.js'
import { loadEntry } from './entry.js'
import { listDirectory, shardBlocks } from './readDirectory.js'
import { blocksOfRange, readFile } from './readFile.js'

const depth = 20_000
const blocks = new Map<string, Uint8Array>()
const source = {
  get: (cid: CID): Promise<Uint8Array> => Promise.resolve(blocks.get(cidKey(cid)) as Uint8Array),
}

function store(Data: Uint8Array, Links: { Name: string; Hash: CID; Tsize: number }[]): CID {
  const bytes = encode({ Data, Links })
  const cid = CID.createV1(0x70, Digest.create(0x12, createHash('sha256').update(bytes).digest()))
  blocks.set(cidKey(cid), bytes)
  return cid
}

async function count(items: AsyncIterable<unknown>): Promise<number> {
  let counted = 0
  for await (const _ of items) counted++
  return counted
}

it('reads a file whose nodes each hold one byte and the next node', async () => {
  const content = Buffer.from(Array.from({ length: depth }, (_, index) => index % 251))
  let root: CID | undefined
  for (const [above, byte] of [...content.entries()].reverse()) {
    const fileSize = depth - above
    const Links = root ? [{ Name: '', Hash: root, Tsize: 0 }] : []
    const blockSizes = root ? [fileSize - 1] : []
    const data = Uint8Array.of(byte)
    root = store(encodeUnixfs({ type: unixfsType.file, data, fileSize, blockSizes }), Links)
  }
  const entry = await loadEntry(source, root as CID)
  const pieces: Uint8Array[] = []
  for await (const piece of readFile(source, entry, { start: 5, end: depth - 5 })) pieces.push(piece)
  expect(Buffer.concat(pieces).equals(content.subarray(5, depth - 5))).toBe(true)
  const untilMiddle = blocksOfRange(source, entry.cid, { start: 3, end: depth / 2 }, new Set())
  expect(await count(untilMiddle)).toBe(depth / 2)
})

it('lists a directory whose shards each hold one entry and the next shard', async () => {
  const Data = encodeUnixfs({ type: unixfsType.hamtShard, blockSizes: [], hashType: 0x22, fanout: 256 })
  const file = store(encodeUnixfs({ type: unixfsType.file, blockSizes: [], fileSize: 0 }), [])
  let root: CID | undefined
  for (let level = depth - 1; level >= 0; level--) {
    const below = root ? [{ Name: '01', Hash: root, Tsize: 0 }] : []
    root = store(Data, [{ Name: `00entry ${level}`, Hash: file, Tsize: 0 }, ...below])
  }
  const entry = await loadEntry(source, root as CID)
  const names: string[] = []
  for await (const { name } of listDirectory(source, entry)) names.push(name)
  expect(names).toEqual(Array.from({ length: depth }, (_, level) => `entry ${level}`))
  expect(await count(shardBlocks(source, entry, forgetful))).toBe(depth - 1)
})
