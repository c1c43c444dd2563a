import { choice, option, optionGroup, optionalOption, text, toggle, wholeNumber } from './kinds.js'

/** Options of the file network and the data directory. */
export const fileOptions = {
  ...optionGroup('File network', {
    importProfile: option(
      choice(['unixfs-v0-2015', 'unixfs-v1-2025']),
      'unixfs-v0-2015',
      'How added files are cut and linked where a request does not say',
    ),
    verifyBlocks: toggle('Check each block of a file against its CID when it is read'),
    maxUpload: optionalOption(
      wholeNumber({ minimum: 1, valueName: 'BYTES' }),
      'Longest upload; 100000000 in strict mode and no limit elsewhere unless given',
    ),
  }),
  ...optionGroup('Data', {
    dataDir: optionalOption(
      text('DIRECTORY'),
      'Where chains, files and pins are kept; a temporary directory, removed at the end, unless given',
      { aliases: ['db', 'database.dbPath'] },
    ),
    from: optionalOption(
      text('FILE|DIRECTORY'),
      'Begin with a copy of what standin pack packed into this file, or of this data directory; neither is changed',
    ),
    archiveCache: optionalOption(
      text('DIRECTORY'),
      'Where archives are unpacked, once each; standin/archives in the cache directory of the user unless given',
    ),
    cacheMemory: option(
      wholeNumber({ minimum: 1, valueName: 'MEBIBYTES' }),
      32,
      'Memory that all chains together use to keep what they read of their states',
    ),
    sync: toggle('Force every write to the disk, so that power loss takes nothing'),
  }),
}
