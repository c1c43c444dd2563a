import type { CID } from 'multiformats/cid'
import { errorText } from '../encoding/errorText.js'
import { goQuote } from './text/goQuote.js'

/** An error whose message is sent to the caller verbatim. */
export class FileNetworkError extends Error {
  /** 0: the operation failed (status 500). 1: the request is at fault (status 400). */
  readonly code: 0 | 1 = 0
}

/** An invalid request, answered with status 400. */
export class ClientError extends FileNetworkError {
  override readonly code = 1
}

/** A request that cannot be parsed, answered in plain text with status 400. */
export class RequestError extends Error {}

/** The block is not in the store, and there is no network to fetch it from. */
export class BlockNotFoundError extends FileNetworkError {
  readonly cid: CID

  constructor(cid: CID, message = `block was not found locally (offline): ipld: could not find ${cid}`) {
    super(message)
    this.cid = cid
  }
}

/** A CID with which no block can be stored, so that none is looked for (boxo, `verifcid`). */
export class UnsafeCidError extends FileNetworkError {}

/** Replaces the error for a block that boxo requests with others at once: it does not say which one it lacks. */
export function withoutName(error: unknown): unknown {
  const message = 'failed to fetch all nodes'
  if (error instanceof BlockNotFoundError) return new BlockNotFoundError(error.cid, message)
  return error instanceof UnsafeCidError ? new FileNetworkError(message) : error
}

/** Whether an operation failed because a block is missing. */
export function isMissingBlock(error: unknown): boolean {
  if (error instanceof BlockNotFoundError) return true
  return error instanceof FileNetworkError && error.cause instanceof BlockNotFoundError
}

/** A path names a link that the node lacks. */
export class LinkNotFoundError extends FileNetworkError {
  constructor(name: string, parent: CID, options?: ErrorOptions) {
    super(`no link named ${goQuote(name)} under ${parent}`, options)
  }
}

/** A path in the mutable files does not exist. */
export class FileNotFoundError extends FileNetworkError {
  constructor() {
    super('file does not exist')
  }
}

/** Input ends where another item should begin (Go, `io.EOF`). Kubo ends its response there. */
export class EndOfDataError extends FileNetworkError {
  constructor() {
    super('EOF')
  }
}

/** The request's timeout has expired. */
export class DeadlineError extends FileNetworkError {
  constructor() {
    super('context deadline exceeded')
  }
}

/** Runs a function, prefixing the message of any error it throws. */
export function withPrefix<T>(prefix: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new FileNetworkError(prefix + errorText(error))
  }
}
