import * as cbor from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type FileStore, openFileStore } from '../../storage/files/blockFiles.js'
import type { NetworkContext } from '../networkContext.js'
import { executeCommand } from '../request/execute.js'
import { openNetworkContext } from '../fileNetwork.js'
import { isIntact } from '../store/blockstore.js'
import { blockRm } from './block.js'

let directory: string
let store: FileStore
let network: NetworkContext
/** Returns the multihashes of the blocks read, in order. */
let multihashesRead: () => Uint8Array[]
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'standin-rm-test-'))
  store = await openFileStore({ directory, sync: false, isIntact })
  network = await openNetworkContext(store, { directory })
  const reading = vi.spyOn(store.blocks, 'get')
  multihashesRead = () => reading.mock.calls.map(([multihash]) => multihash)
})
afterEach(async () => {
  await store.close()
  await rm(directory, { recursive: true })
})

async function put(code: number, bytes: Uint8Array): Promise<CID> {
  const cid = CID.createV1(code, await sha256.digest(bytes))
  await network.blockstore.put(cid, bytes)
  return cid
}

it('reads each block on a path once', async () => {
  const leaf = await put(raw.code, Uint8Array.of(1, 2, 3))
  const root = await put(cbor.code, cbor.encode({ leaf }))
  const reply = await executeCommand(
    blockRm,
    {
      operation: 'block/rm',
      query: new URLSearchParams([['arg', `/ipld/${root}/leaf`]]),
      headers: {},
      signal: new AbortController().signal,
    },
    network,
  )
  expect(reply.status).toBe(200)
  for await (const piece of reply.body as AsyncIterable<Uint8Array>) void piece
  expect(network.blockstore.has(leaf)).toBe(false)
  expect(multihashesRead()).toEqual([root.multihash.bytes])
})

it('walks the pins once, however many blocks with the hash of pinned ones are removed', async () => {
  const leaves = await Promise.all([...Array(20).keys()].map((index) => put(raw.code, Uint8Array.of(index))))
  const root = await put(cbor.code, cbor.encode(leaves))
  await network.pins.set({ cid: root, mode: 'recursive', name: '' })
  const twins = leaves.map((leaf) => CID.createV1(cbor.code, leaf.multihash))
  const reply = await executeCommand(
    blockRm,
    {
      operation: 'block/rm',
      query: new URLSearchParams(twins.map((twin): [string, string] => ['arg', twin.toString()])),
      headers: {},
      signal: new AbortController().signal,
    },
    network,
  )
  for await (const piece of reply.body as AsyncIterable<Uint8Array>) void piece
  expect(leaves.filter((leaf) => network.blockstore.has(leaf))).toEqual([])
  expect(multihashesRead()).toEqual([root.multihash.bytes])
})
