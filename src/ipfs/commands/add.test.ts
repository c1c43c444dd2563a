import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { form } from '../../../test/ipfs/support.js'
import { type FileStore, openFileStore } from '../../storage/files/blockFiles.js'
import type { NetworkContext } from '../networkContext.js'
import { executeCommand } from '../request/execute.js'
import { openNetworkContext } from '../fileNetwork.js'
import { isIntact } from '../store/blockstore.js'
import { add } from './add.js'

let directory: string
let store: FileStore
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'standin-add-test-'))
  store = await openFileStore({ directory, sync: false, isIntact })
})
afterEach(async () => {
  await store.close()
  await rm(directory, { recursive: true })
})

/** Returns a network whose first pin cannot be written. */
async function networkWithFailingPin(): Promise<NetworkContext> {
  const network = await openNetworkContext(store, { directory })
  vi.spyOn(network.pins, 'set').mockRejectedValueOnce(new Error('disk full'))
  return network
}

/** Yields the body in two pieces; the second file arrives well after the first pin has failed. */
async function* inTwoPieces(body: Uint8Array): AsyncGenerator<Uint8Array> {
  const middle = Buffer.from(body).indexOf('second file')
  yield body.subarray(0, middle)
  await new Promise((resolve) => setTimeout(resolve, 100))
  yield body.subarray(middle)
}

it.each(['', 'silent=true'])('fails if a pin cannot be written, even the first of two: %s', async (query) => {
  const { body, headers } = form([
    { name: 'one', content: 'first file' },
    { name: 'two', content: 'second file' },
  ])
  const request = {
    operation: 'add',
    query: new URLSearchParams(query),
    headers,
    body: inTwoPieces(body),
    signal: new AbortController().signal,
  }
  const reply = await executeCommand(add, request, await networkWithFailingPin())
  const text = reply.body instanceof Uint8Array ? Buffer.from(reply.body).toString() : ''
  expect({ status: reply.status, text }).toMatchObject({
    status: 500,
    text: expect.stringContaining('disk full'),
  })
})
