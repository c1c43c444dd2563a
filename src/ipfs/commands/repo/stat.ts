import { defineCommand } from '../../request/command.js'
import { single } from '../../request/output.js'
import { repoVersion } from '../../version.js'

/** What Kubo reports where no limit was set. */
const storageMaximum = 10_000_000_000

/** `repo/stat`: how much is stored. */
export const repoStat = defineCommand({
  description: 'Show how much is stored.',
  arguments: [],
  options: {
    'size-only': { type: 'bool', aliases: ['s'], description: 'Only the sizes.' },
    human: { type: 'bool', aliases: ['H'], description: 'For command lines.' },
  },
  run({ options }, { blockstore, directory }) {
    const { blocks, bytes } = blockstore.totals()
    const sizes = { RepoSize: bytes, StorageMax: storageMaximum }
    if (options['size-only']) return single({ ...sizes, NumObjects: 0, RepoPath: '', Version: '' })
    return single({ ...sizes, NumObjects: blocks, RepoPath: directory, Version: `fs-repo@${repoVersion}` })
  },
})
