/** A data directory that cannot be used: taken by another process, made by another version, or damaged. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError'
}

/** A stored block of the file network does not have the bytes that its key names. */
export class DamagedBlockError extends Error {
  override readonly name = 'DamagedBlockError'
}

/** The disk refused a write; what was to be written is neither stored nor visible. */
export class StorageWriteError extends Error {
  override readonly name = 'StorageWriteError'

  /** @param attempt - what was tried; the reason of the system follows it */
  constructor(attempt: string, { cause }: { cause: unknown }) {
    super(`${attempt}: ${reasonOf(cause)}`, { cause })
  }
}

/** The innermost cause: abstract-level wraps what LevelDB says. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : reasonOf(error.cause)
}
