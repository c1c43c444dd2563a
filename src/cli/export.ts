import { exportFiles, type ExportRequest } from '../node/exportFiles.js'
import { OptionError } from '../options.js'
import { parseSubcommand, refuseMore, requireDataDir } from './subcommand.js'

const usage = `Usage: standin export --data-dir DIR [options] FILE

Writes the blocks of a chain into FILE, and its genesis beside it. standin --genesis and --import read both again,
and so do other clients. No node may have the directory open.

  --data-dir DIR       The data directory that has the chain (STANDIN_DATA_DIR)
  --genesis-out FILE   Where the genesis goes; FILE.genesis.json unless given
  --network NAME       Which of the directory's networks; the one without a name unless given
  --to NUMBER          The last block; the newest unless given
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
