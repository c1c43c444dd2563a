import { CarReader } from '@ipld/car'
import { encode } from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { expect, it } from 'vitest'
import { cidKey } from '../cid/cidFormat.js'
import { type PartialDag, partialCar } from './partialCar.js'

const blocks = new Map<string, Uint8Array>()

async function store(value: unknown): Promise<CID> {
  const bytes = encode(value)
  const cid = CID.createV1(0x71, await sha256.digest(bytes))
  blocks.set(cidKey(cid), bytes)
  return cid
}

it('reads each block of a DAG once, both to walk and to send it', async () => {
  const leaves = await Promise.all([1, 2, 3].map(store))
  const middle = await store({ leaves, again: leaves })
  const end = await store([middle, ...leaves])
  let reads = 0
  const source = {
    async get(cid: CID): Promise<Uint8Array> {
      reads++
      return blocks.get(cidKey(cid)) as Uint8Array
    },
  }
  const pieces: Uint8Array[] = []
  const wanted: PartialDag = { end, pathBlocks: [], scope: 'all', bytes: undefined, repeats: false }
  for await (const piece of partialCar(source, wanted)) pieces.push(piece)
  const sent: string[] = []
  for await (const { cid } of (await CarReader.fromBytes(Buffer.concat(pieces))).blocks()) {
    sent.push(cid.toString())
  }
  expect(sent).toEqual([end, middle, ...leaves].map(String))
  expect(reads).toBe(5)
})
