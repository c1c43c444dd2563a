import { defineCommand } from '../../request/command.js'
import { values } from '../../request/output.js'

/** `refs/local`: every CID that a block was stored under, with its own codec and version. */
export const refsLocal = defineCommand({
  description: 'List all stored blocks.',
  arguments: [],
  options: {},
  run({ encodeCid }, { blockstore }) {
    return values(
      (async function* () {
        for await (const cid of blockstore.cids()) yield { Ref: encodeCid(cid), Err: '' }
      })(),
    )
  },
})
