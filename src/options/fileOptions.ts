import { option, optionalOption } from './definition.js'
import { choice, text, toggle, wholeNumber } from './kinds.js'

/** The file network and the data directory. */
export const fileOptions = {
  importProfile: option({
    flag: 'import-profile',
    kind: choice(['unixfs-v0-2015', 'unixfs-v1-2025']),
    default: 'unixfs-v0-2015',
    description: 'How added files are cut and linked where a request does not say',
    group: 'File network',
  }),
  verifyBlocks: option({
    flag: 'verify-blocks',
    kind: toggle(),
    default: false,
    description: 'Check each block of a file against its CID when it is read',
    group: 'File network',
  }),
  maxUpload: optionalOption({
    flag: 'max-upload',
    kind: wholeNumber({ minimum: 1, valueName: 'BYTES' }),
    description: 'Longest upload; 100000000 in strict mode and no limit elsewhere unless given',
    group: 'File network',
  }),
  dataDir: optionalOption({
    flag: 'data-dir',
    aliases: ['db', 'database.dbPath'],
    kind: text('DIRECTORY'),
    description:
      'Where chains, files and pins are kept; a temporary directory, removed at the end, unless given',
    group: 'Data',
  }),
  cacheMemory: option({
    flag: 'cache-memory',
    kind: wholeNumber({ minimum: 1, valueName: 'MEBIBYTES' }),
    default: 32,
    description: 'Memory that all chains together use to keep what they read of their states',
    group: 'Data',
  }),
  sync: option({
    flag: 'sync',
    kind: toggle(),
    default: false,
    description: 'Force every write to the disk, so that power loss takes nothing',
    group: 'Data',
  }),
}
