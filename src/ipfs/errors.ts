import type { CID } from 'multiformats/cid'

/** A refusal that the caller is told of word for word. */
export class FileNetworkError extends Error {
  /** 0: the operation failed (status 500); 1: the request is at fault (status 400). */
  readonly code: 0 | 1 = 0
}

/** The request asks for something that makes no sense; reported with status 400. */
export class ClientError extends FileNetworkError {
  override readonly code = 1
}

/** A request that could not be read; answered in plain text with status 400. */
export class RequestError extends Error {}

/** A block that is not in the store. There is no network to ask. */
export class BlockNotFoundError extends FileNetworkError {
  readonly cid: CID

  constructor(cid: CID) {
    super(`block was not found locally (offline): ipld: could not find ${cid}`)
    this.cid = cid
  }
}

/** A path names a link that its node does not have. */
export class LinkNotFoundError extends FileNetworkError {
  constructor(name: string, parent: CID, options?: ErrorOptions) {
    super(`no link named ${JSON.stringify(name)} under ${parent}`, options)
  }
}

/** A path of the mutable files that leads nowhere. */
export class FileNotFoundError extends FileNetworkError {
  constructor() {
    super('file does not exist')
  }
}

/** Data ends where more of it was to begin (Go, `io.EOF`). Kubo takes that for the end of its answer. */
export class EndOfDataError extends FileNetworkError {
  constructor() {
    super('EOF')
  }
}

/** The time that the request allowed has passed. */
export class DeadlineError extends FileNetworkError {
  constructor() {
    super('context deadline exceeded')
  }
}

/** The text of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The result of a function; what it throws is told with something in front. */
export function withPrefix<T>(prefix: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new FileNetworkError(prefix + errorText(error))
  }
}
