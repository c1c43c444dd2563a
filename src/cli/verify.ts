import { verifyData } from '../node/verifyData.js'
import { parseSubcommand, refuseMore, requireDataDir } from './subcommand.js'

const usage = `Usage: standin verify --data-dir DIR

Verifies a data directory: every block and its index rows, every state and its code (with @ethereumjs/mpt), and the
blocks, pins and mutable files of the file network. Prints a line for every problem, and exits with status 1 if there
are any. No node may have the directory open.

  --data-dir DIR       Data directory (env STANDIN_DATA_DIR)
`

/**
 * Runs `standin verify`.
 *
 * @param print - writes what was found
 * @returns the exit status: 1 if something is wrong
 * @throws OptionError, or DataDirectoryError if the directory cannot be opened
 */
export async function runVerify(words: readonly string[], print: (text: string) => void): Promise<number> {
  const parsed = parseSubcommand('verify', words, ['data-dir'])
  if (parsed === undefined) {
    print(usage)
    return 0
  }
  refuseMore('verify', parsed.positionals)
  const dataDir = requireDataDir('verify', parsed.values['data-dir'])
  const { blocks, states, statelessBlocks, nodes, codes, files, problems } = await verifyData(
    dataDir,
    (line) => print(`${line}\n`),
  )
  print(
    `${blocks} blocks, ${states} states with ${nodes} trie nodes and ${codes} codes, ` +
      `${files.blocks} file blocks, ${files.pins} pins\n`,
  )
  if (statelessBlocks > 0) print(`The states of ${statelessBlocks} blocks were pruned or never stored\n`)
  print(problems === 0 ? 'No problems\n' : `${problems} ${problems === 1 ? 'problem' : 'problems'}\n`)
  return problems === 0 ? 0 : 1
}
