import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNode, type NodeOptions, type StandinNode } from '../../../src/index.js'
import { conformancePath } from './folder.js'

/** Directory of the recorded cases; undefined if absent. */
export const recordedCases: string | undefined = conformancePath('execution-apis')

/** A node in this process that imported the recorded chain, and its data directory. */
export interface ImportedNode {
  node: StandinNode
  dataDir: string
  /** Stops the node and removes its data. */
  remove(): Promise<void>
}

/** Starts a node with the recorded chain and the settings that its cases expect. */
export async function startImported(
  options: NodeOptions = {},
  dataDir = mkdtempSync(join(tmpdir(), 'standin-imported-')),
): Promise<ImportedNode> {
  const node = await createNode({
    port: 0,
    dataDir,
    genesis: join(recordedCases ?? '', 'genesis.json'),
    import: join(recordedCases ?? '', 'chain.rlp'),
    noTotalDifficulty: true,
    pendingFields: 'geth',
    noMining: true,
    ...options,
  })
  return {
    node,
    dataDir,
    remove: async () => {
      await node.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
