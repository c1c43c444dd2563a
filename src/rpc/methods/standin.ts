import { bytesToHex } from '../../encoding/hex.js'
import { writeGenesis } from '../dump/writeDump.js'
import { defineMethod, required } from '../method.js'
import { data } from '../params/bytes.js'
import { list } from '../params/combinators.js'
import { WireBytes } from '../wire.js'

/** standin_dumpGenesis: returns the state of `latest` as a geth genesis.json, for `--genesis`, geth and others. */
export const dumpGenesis = defineMethod('standin_dumpGenesis', [], async ({ backend, context }) => {
  const { chain: view, forks: schedule, controls } = backend
  const { signal } = context
  return controls.exportState(async (accounts) => {
    // Encoded while writing: the reply would encode megabytes of short texts all at once.
    const chunks: Uint8Array[] = []
    for await (const chunk of writeGenesis({ view, schedule, accounts, signal }))
      chunks.push(Buffer.from(chunk))
    return new WireBytes(chunks)
  }, signal)
})

/**
 * standin_importBlocks: executes and validates RLP-encoded blocks from elsewhere, parents first. The last one becomes
 * the head, with a reorganisation if it is on another branch; returns its hash.
 */
export const importBlocks = defineMethod(
  'standin_importBlocks',
  [required('blocks', list(data, '[]hexutil.Bytes'))],
  async ({ view, backend }, blocks) => {
    await backend.controls.importBlocks(blocks)
    return bytesToHex(view.head().hash)
  },
)
