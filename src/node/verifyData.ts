import { join } from 'node:path'
import { keptStates, openStoredChain, type StoredChain } from '../chain/maintenance/keptStates.js'
import { prunedBelow } from '../chain/maintenance/prune.js'
import { StateVerifier } from '../chain/maintenance/stateVerifier.js'
import { verifyBlocks } from '../chain/maintenance/verifyBlocks.js'
import { forkRootOf } from '../chain/fork/forkPoint.js'
import { errorText } from '../encoding/errorText.js'
import { bytesToHex } from '../encoding/hex.js'
import { verifyFileNetwork } from '../ipfs/store/verify.js'
import { blockEncoder } from '../rpc/format/block.js'
import { keyspaceOf } from '../storage/keyspace.js'
import { storedChains, withStoredData } from './storedData.js'

/** What was checked, and the number of problems. */
export interface Verified {
  blocks: number
  states: number
  /** Blocks without states that need none: pruned, or never stored. */
  statelessBlocks: number
  nodes: number
  codes: number
  files: { blocks: number; pins: number }
  problems: number
}

/**
 * Verifies a data directory: every block with its index rows, every state with the trie of @ethereumjs/mpt, all code,
 * and the blocks, pins and mutable files of the file network.
 *
 * @param report - receives each problem as one line
 * @throws DataDirectoryError if it cannot be opened
 */
export async function verifyData(dataDir: string, report: (line: string) => void): Promise<Verified> {
  const verified: Verified = {
    blocks: 0,
    states: 0,
    statelessBlocks: 0,
    nodes: 0,
    codes: 0,
    problems: 0,
    files: { blocks: 0, pins: 0 },
  }
  const tell = (line: string): void => {
    verified.problems++
    report(line)
  }
  await withStoredData(dataDir, async ({ directory, manifest, database }) => {
    await database.filesChecked()
    for (const { name, index } of storedChains(manifest)) {
      const prefix = `chain ${name}`
      await reportFailure(prefix, tell, async () => {
        const chain = await openStoredChain(database, keyspaceOf(index), blockEncoder)
        verified.blocks += await verifyBlocks(chain, ({ block, problem }) =>
          tell(`${prefix}: ${block}: ${problem}`),
        )
        await verifyStates(chain, verified, (line) => tell(`${prefix}: ${line}`))
      })
    }
    await reportFailure('files', tell, async () => {
      verified.files = await verifyFileNetwork(join(directory, 'files'), (line) => tell(`files: ${line}`))
    })
  })
  return verified
}

/** Reports the error of a damaged file as a line, so that the rest of the directory is still checked. */
async function reportFailure(
  name: string,
  tell: (line: string) => void,
  check: () => Promise<void>,
): Promise<void> {
  try {
    await check()
  } catch (error) {
    tell(`${name}: ${errorText(error)}`)
  }
}

async function verifyStates(
  chain: StoredChain,
  verified: Verified,
  report: (line: string) => void,
): Promise<void> {
  const { states, database, keys } = chain
  const verifier = new StateVerifier({
    states,
    isFork: forkRootOf(database, keys) !== undefined,
    report: ({ of, path, problem }) => report(`state of ${of}: ${path}: ${problem}`),
  })
  const seen = new Set<string>()
  for await (const { root, node, of, isRequired } of keptStates(chain, prunedBelow(chain))) {
    if (node !== undefined) verifier.checkLink(root, node, of)
    if (states.hasRoot(root)) {
      const name = bytesToHex(root)
      if (seen.has(name)) continue
      seen.add(name)
      verified.states++
      await verifier.walk(root, of)
    } else if (isRequired) report(`state of ${of}: there is no root ${bytesToHex(root)}`)
    else verified.statelessBlocks++
  }
  verified.nodes += verifier.nodes
  verified.codes += verifier.codes
}
