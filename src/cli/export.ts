import { exportFiles, type ExportRequest } from '../node/exportFiles.js'
import { OptionError } from '../options.js'
import { parseSubcommand, refuseMore, requireDataDir } from './subcommand.js'

const usage = `Usage: standin export --data-dir DIR [options] FILE

Exports the blocks of a chain to FILE and its genesis to FILE.genesis.json. Import both with standin --genesis and
--import, or into other clients. No node may have the directory open.

  --data-dir DIR       Data directory of the chain (env STANDIN_DATA_DIR)
  --genesis-out FILE   Where to write the genesis instead
  --network NAME       Network to export; defaults to the one without a name
  --to NUMBER          Last block; defaults to the newest
`

/** Runs `standin export`. @returns the output */
export async function runExport(words: readonly string[]): Promise<string> {
  const order = parseOrder(words)
  if (order === undefined) return usage
  const { first, last } = await exportFiles(order)
  const range = last < first ? 'no blocks' : `blocks ${first} to ${last}`
  return `Exported ${range} to ${order.file} and the genesis to ${order.genesisFile}\n`
}

/** @returns undefined if help was requested */
function parseOrder(words: readonly string[]): ExportRequest | undefined {
  const parsed = parseSubcommand('export', words, ['data-dir', 'genesis-out', 'network', 'to'])
  if (parsed === undefined) return undefined
  const { values, positionals } = parsed
  const [file, ...others] = positionals
  const dataDir = requireDataDir('export', values['data-dir'])
  if (file === undefined) throw new OptionError('export: the file to write is missing')
  refuseMore('export', others)
  const { to } = values
  if (to !== undefined && !/^\d+$/.test(to)) {
    throw new OptionError(`--to: expected a whole number, got ${JSON.stringify(to)}`)
  }
  return {
    dataDir,
    network: values.network,
    file,
    genesisFile: values['genesis-out'] ?? `${file}.genesis.json`,
    to: to === undefined ? undefined : BigInt(to),
  }
}
