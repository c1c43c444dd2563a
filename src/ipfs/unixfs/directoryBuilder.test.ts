import { decode } from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { expect, it } from 'vitest'
import { countTurnsByClockReads } from '../../../test/support/turns.js'
import { hashFunctionByName } from '../cid/cidFormat.js'
import { BlockWriter } from './blockWriter.js'
import { buildDirectory } from './directoryBuilder.js'
import { importSettings } from '../configuration/importSettings.js'

it('yields while it builds a directory of one block', async () => {
  const stored: Uint8Array[] = []
  const writer = new BlockWriter(
    { version: 0, hash: await hashFunctionByName('sha2-256') },
    async (_, bytes) => void stored.push(bytes),
  )
  const cid = CID.parse('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
  const links = Array.from({ length: 4000 }, (_, index) => ({ name: `file ${index}`, cid, size: 6 }))
  const settings = (await importSettings('unixfs-v0-2015')).directory
  const turns = await countTurnsByClockReads(() => buildDirectory({ links, settings, writer }))
  expect(turns).toBeGreaterThan(1000)
  const names = links.map(({ name }) => name).sort()
  expect(stored.map((bytes) => decode(bytes).Links.map(({ Name }) => Name))).toEqual([names])
})
