/** The data directory cannot be used: another process holds it, another version made it, or it is damaged. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError'
}

/** A stored block of the file network does not match the hash in its key. */
export class DamagedBlockError extends Error {
  override readonly name = 'DamagedBlockError'
}

/** The disk refused a write; none of its data is stored or visible. */
export class StorageWriteError extends Error {
  override readonly name = 'StorageWriteError'

  /** @param attempt - what was tried; the system's reason is appended */
  constructor(attempt: string, { cause }: { cause: unknown }) {
    super(`${attempt}: ${reasonOf(cause)}`, { cause })
  }
}

/** Returns the innermost cause: abstract-level wraps LevelDB's message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : reasonOf(error.cause)
}
