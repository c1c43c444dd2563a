import { packData } from '../node/packData.js'
import { OptionError } from '../options.js'
import { parseSubcommand, refuseMore } from './subcommand.js'

const usage = `Usage: standin pack [options] DIR FILE

Packs a data directory into a compressed archive: chains with all their states, files, pins and clocks. Nodes
started with --from FILE each get a copy of it. No node may have the directory open.

  --keys FILE          Keys file to include; nodes use it unless given another
`

/** Runs `standin pack`. @returns the output */
export async function runPack(words: readonly string[]): Promise<string> {
  const parsed = parseSubcommand('pack', words, ['keys'])
  if (parsed === undefined) return usage
  const [dataDir, file, ...others] = parsed.positionals
  if (dataDir === undefined) throw new OptionError('pack: the data directory is missing')
  if (file === undefined) throw new OptionError('pack: the archive to write is missing')
  refuseMore('pack', others)
  const { files, bytes, archiveBytes } = await packData({ dataDir, file, keys: parsed.values.keys })
  return `Packed ${files} files with ${formatSize(bytes)} into ${file}, ${formatSize(archiveBytes)}\n`
}

function formatSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
