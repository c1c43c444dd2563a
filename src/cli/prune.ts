import { pruneData } from '../node/storedData.js'
import { OptionError } from '../options.js'
import { parseSubcommand, refuseMore, requireDataDir } from './subcommand.js'

const usage = `Usage: standin prune --data-dir DIR --keep N

Frees most of the space of a data directory: deletes the states of old blocks from every chain. The newest N blocks,
the first block, snapshots and the block that a fork starts from keep their states. Blocks, transactions, receipts and
logs stay. No node may have the directory open.

  --data-dir DIR       Data directory (env STANDIN_DATA_DIR)
  --keep N             Number of blocks that keep their states, at least 1
`

/**
 * Runs `standin prune`.
 *
 * @returns the output
 * @throws OptionError, or DataDirectoryError if the directory cannot be opened or is damaged
 */
export async function runPrune(words: readonly string[]): Promise<string> {
  const parsed = parseSubcommand('prune', words, ['data-dir', 'keep'])
  if (parsed === undefined) return usage
  refuseMore('prune', parsed.positionals)
  const dataDir = requireDataDir('prune', parsed.values['data-dir'])
  const { keep } = parsed.values
  if (keep === undefined) throw new OptionError('prune: --keep is missing')
  if (!/^[1-9]\d*$/.test(keep)) {
    throw new OptionError(`--keep: expected a whole number of at least 1, got ${JSON.stringify(keep)}`)
  }
  const chains = await pruneData(dataDir, BigInt(keep))
  return chains
    .map(
      ({ name, from, kept, deleted }) =>
        `Chain ${name}: kept the states from block ${from} on: ${kept} trie nodes; deleted ${deleted}\n`,
    )
    .join('')
}
