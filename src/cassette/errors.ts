/** A cassette file that cannot be used; the message names the file, and the line where one is at fault. */
export class CassetteError extends Error {
  override readonly name = 'CassetteError'

  /** @param line - counted from 1 */
  constructor(path: string, reason: string, line?: number) {
    super(`${path}${line === undefined ? '' : `:${line}`}: ${reason}`)
  }
}
