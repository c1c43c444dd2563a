import { CID } from 'multiformats/cid'
import { expect, it } from 'vitest'
import { countTurnsByLooks } from '../../../test/support/turns.js'
import { hashFunctionByName } from '../cid/hashFunctions.js'
import { createBlockWriter, discardBlock } from './blockWriter.js'
import { writeHamt } from './hamt.js'

it('lets others have their turn while a large directory is stored', async () => {
  const writer = createBlockWriter({ version: 0, hash: await hashFunctionByName('sha2-256') }, discardBlock)
  const cid = CID.parse('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
  const links = Array.from({ length: 5000 }, (_, index) => ({ name: `file ${index}`, cid, size: 6 }))
  const turns = await countTurnsByLooks(() => writeHamt({ links, fanout: 256, writer, metadata: {} }))
  // 5000 names in 256 slots: nearly every slot of the root has a shard of its own, and names are hashed before.
  expect(turns).toBeGreaterThan(200 + 500)
})
