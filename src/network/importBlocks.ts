import { ImportError } from '../chain/errors.js'
import { importFile, type ImportFileOptions } from '../chain/import/chainFile.js'
import { ChainFileError } from './chainSource.js'

/**
 * Imports the blocks of a chain file.
 *
 * @throws ChainFileError with the file's name, if it cannot be read or a block does not check.
 */
export async function importBlocks(options: ImportFileOptions): Promise<void> {
  try {
    await importFile(options)
  } catch (error) {
    if (error instanceof ImportError) throw new ChainFileError(`${options.path}: ${error.message}`)
    if (error instanceof Error && 'syscall' in error) throw new ChainFileError(`--import: ${error.message}`)
    throw error
  }
}
