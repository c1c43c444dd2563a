import { writeGenesis } from '../../dump/writeGenesis.js'
import { defineMethod } from '../../method.js'
import { WireBytes } from '../../wire.js'

/** standin_dumpGenesis: the state that `latest` has as a geth genesis.json, for `--genesis`, geth and others. */
export const dumpGenesis = defineMethod('standin_dumpGenesis', [], async ({ backend }) => {
  const { chain: view, forks: schedule, controls } = backend
  return controls.exportState(async (accounts) => {
    const chunks: string[] = []
    for await (const chunk of writeGenesis({ view, schedule, accounts })) chunks.push(chunk)
    return new WireBytes(chunks)
  })
})
