import { expect, it } from 'vitest'
import { createNode } from '../../src/index.js'
import { addFile, callFileNetwork } from '../support/rpc.js'
import { randomBytes } from 'node:crypto'

it('keeps the bytes of simultaneous uploads on new connections', async () => {
  const node = await createNode({ port: 0, ipfsPort: 0 })
  try {
    for (let round = 0; round < 10; round++) {
      const contents = Array.from({ length: 8 }, () => Uint8Array.from(randomBytes(700_000)))
      const cids = await Promise.all(contents.map((content) => addFile(node.ipfsUrl, content)))
      for (const [index, cid] of cids.entries()) {
        const kept = Buffer.from(await (await callFileNetwork(node.ipfsUrl, 'cat', cid)).arrayBuffer())
        expect(kept.equals(contents[index] as Uint8Array)).toBe(true)
      }
    }
  } finally {
    await node.stop()
  }
})
