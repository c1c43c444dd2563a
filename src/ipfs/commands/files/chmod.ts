import { changeMetadata } from '../../mfs/changeMetadata.js'
import { checkFilesPath } from '../../mfs/filesPath.js'
import { parseMode } from '../../mfs/parseMode.js'
import { defineCommand, pathArgument } from '../../request/command.js'
import { nothing } from '../../request/output.js'

/** `files/chmod`: stores a mode with a mutable file or directory. */
export const filesChmod = defineCommand({
  description: 'Change the mode of a mutable file.',
  arguments: [pathArgument('mode', 'The mode, in octal.'), pathArgument('path', 'The file or directory.')],
  options: {},
  async run({ args: [mode = '', path = ''] }, network) {
    await changeMetadata(network, checkFilesPath(path), { mode: parseMode(mode) })
    return nothing()
  },
})
