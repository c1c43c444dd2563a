import { expect, it } from 'vitest'
import { countTurnsByLooks } from '../../../test/support/turns.js'
import { single } from './command.js'
import { outputReply } from './reply.js'

it('lets others have their turn while a long answer is written', async () => {
  const Links = Array.from({ length: 50_000 }, (_, index) => ({ Name: `file ${index}`, Size: index }))
  const output = single({ Objects: [{ Links }] })
  // About 2 MB, and a look at the clock for every 64 KiB of them.
  expect(await countTurnsByLooks(() => outputReply(output))).toBeGreaterThan(3)
})
