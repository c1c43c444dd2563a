import { parseArgs } from 'node:util'
import { exportFiles, type ExportRequest } from '../node/exportFiles.js'
import { OptionError } from '../options.js'

const usage = `Usage: standin export --data-dir DIR [options] FILE

Writes the blocks of a chain into FILE, and its genesis beside it. standin --genesis and --import read both again,
and so do other clients. No node may have the directory open.

  --data-dir DIR       The data directory that has the chain (STANDIN_DATA_DIR)
  --genesis-out FILE   Where the genesis goes; FILE.genesis.json unless given
  --network NAME       Which of the directory's networks; the one without a name unless given
  --to NUMBER          The last block; the newest unless given
`

/** The subcommand `export`. @returns what is printed */
export async function runExport(words: readonly string[]): Promise<string> {
  const order = parseOrder(words)
  if (order === undefined) return usage
  const { first, last } = await exportFiles(order)
  const range = last < first ? 'no blocks' : `blocks ${first} to ${last}`
  return `Exported ${range} to ${order.file} and the genesis to ${order.genesisFile}\n`
}

/** @returns undefined if help was asked for */
function parseOrder(words: readonly string[]): ExportRequest | undefined {
  const { values, positionals } = parse(words)
  if (values.help === true) return undefined
  const [file, ...others] = positionals
  const dataDir = values['data-dir'] ?? process.env['STANDIN_DATA_DIR']
  if (dataDir === undefined || dataDir === '') throw new OptionError('export: --data-dir is missing')
  if (file === undefined) throw new OptionError('export: the file to write is missing')
  if (others.length > 0) throw new OptionError(`export: unexpected argument ${others[0]}`)
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

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        'data-dir': { type: 'string' },
        'genesis-out': { type: 'string' },
        network: { type: 'string' },
        to: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new OptionError(`export: ${error instanceof Error ? error.message : String(error)}`)
  }
}
