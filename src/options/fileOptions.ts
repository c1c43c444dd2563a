import { choice, option, optionGroup, optionalOption, text, toggle, wholeNumber } from './kinds.js'

/** Options of the file network and the data directory. */
export const fileOptions = {
  ...optionGroup('File network', {
    importProfile: option(
      choice(['unixfs-v0-2015', 'unixfs-v1-2025']),
      'unixfs-v0-2015',
      'How to chunk and lay out added files unless a request says otherwise',
    ),
    verifyBlocks: toggle('Check every block of a file against its CID when reading it'),
    maxUpload: optionalOption(
      wholeNumber({ minimum: 1, valueName: 'BYTES' }),
      'Maximum upload size; defaults to 100000000 in strict mode and to no limit otherwise',
    ),
  }),
  ...optionGroup('Data', {
    dataDir: optionalOption(
      text('DIRECTORY'),
      'Directory for chains, files and pins; defaults to a temporary directory, removed on exit',
      { aliases: ['db', 'database.dbPath'] },
    ),
    from: optionalOption(
      text('FILE|DIRECTORY'),
      'Start from a copy of this standin pack archive or data directory; the original is not changed',
    ),
    archiveCache: optionalOption(
      text('DIRECTORY'),
      "Where to unpack archives, once each; defaults to standin/archives in the user's cache directory",
    ),
    cacheMemory: option(
      wholeNumber({ minimum: 1, valueName: 'MEBIBYTES' }),
      32,
      'Memory that all chains together may use to cache their states',
    ),
    sync: toggle('Sync every write to disk, so that a power failure loses nothing'),
  }),
}
