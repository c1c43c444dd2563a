import { defineCommand } from '../../request/command.js'
import { single } from '../../request/output.js'
import { repoVersion as version } from '../../version.js'

/** `repo/version`: the version of the repository layout that Kubo of this release has. */
export const repoVersion = defineCommand({
  description: 'Show the version of the repository layout.',
  arguments: [],
  options: { quiet: { type: 'bool', aliases: ['q'], description: 'For command lines.' } },
  run: () => single({ Version: version }),
})
