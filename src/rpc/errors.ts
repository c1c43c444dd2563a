import type { JsonValue } from './wire.js'

/** Answers that replace a whole HTTP reply instead of standing inside it. */
export interface RefusalReply {
  /** HTTP status. */
  status: number
  contentType: string
  /** Headers beside the media type. */
  headers?: Readonly<Record<string, string>>
  body: string
}

/** What an RpcError may carry beside its code and message. */
export interface RpcErrorDetails {
  data?: JsonValue | undefined
  /** The error object as JSON text, where it comes from another node: it goes out as it was written there. */
  text?: string
  /** Members of the error object beside code, message and data. */
  members?: Readonly<Record<string, JsonValue>>
  /** The HTTP status of a reply that consists of this error alone; 200 unless given. */
  status?: number
  /** What is answered instead of an error object when the call stands alone in an HTTP request. */
  refusal?: RefusalReply
  cause?: unknown
}

/** An error as JSON-RPC 2.0 shows it to the caller (section 5.1 of the specification). */
export class RpcError extends Error {
  override readonly name: string = 'RpcError'
  readonly code: number
  readonly data?: JsonValue
  readonly text?: string
  readonly members?: Readonly<Record<string, JsonValue>>
  readonly status?: number
  readonly refusal?: RefusalReply

  constructor(code: number, message: string, details: RpcErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    if (details.data !== undefined) this.data = details.data
    if (details.text !== undefined) this.text = details.text
    if (details.members !== undefined) this.members = details.members
    if (details.status !== undefined) this.status = details.status
    if (details.refusal !== undefined) this.refusal = details.refusal
  }

  /** The error object of the answer. */
  toObject(): JsonValue {
    return { code: this.code, ...this.members, message: this.message, data: this.data }
  }
}

/** The body is not JSON (-32700). */
export class ParseError extends RpcError {
  override readonly name = 'ParseError'
  constructor(message = 'parse error') {
    super(-32700, message)
  }
}

/** The message is JSON but no request (-32600; geth: rpc/errors.go). */
export class InvalidRequestError extends RpcError {
  override readonly name = 'InvalidRequestError'
  constructor(message = 'invalid request') {
    super(-32600, message)
  }
}

/** The method is unknown or not enabled (-32601, in the words of the hosted provider). */
export class MethodNotFoundError extends RpcError {
  override readonly name = 'MethodNotFoundError'
  readonly method: string
  constructor(method: string) {
    super(-32601, `The method ${method} does not exist/is not available`)
    this.method = method
  }
}

/** A subscription was asked for where nothing can be pushed (-32601; geth: rpc/subscription.go). */
export class NotificationsUnsupportedError extends RpcError {
  override readonly name = 'NotificationsUnsupportedError'
  constructor() {
    super(-32601, 'notifications not supported')
  }
}

/** The namespace has no such kind of subscription (-32601; geth: rpc/errors.go). */
export class SubscriptionKindNotFoundError extends RpcError {
  override readonly name = 'SubscriptionKindNotFoundError'
  constructor(namespace: string, kind: string) {
    super(-32601, `no "${kind}" subscription in ${namespace} namespace`)
  }
}

/** The arguments do not fit the method (-32602). */
export class InvalidParamsError extends RpcError {
  override readonly name = 'InvalidParamsError'
  constructor(message: string) {
    super(-32602, message)
  }
}

/** A fault of ours; the caller learns no more than that there was one (-32603; geth: rpc/service.go). */
export class InternalError extends RpcError {
  override readonly name = 'InternalError'
  constructor(cause: unknown) {
    super(-32603, 'method handler crashed', { cause })
  }
}

/** Any refusal without a code of its own (-32000, as geth gives errors that have none: rpc/json.go). */
export class ServerError extends RpcError {
  override readonly name = 'ServerError'
  constructor(message: string) {
    super(-32000, message)
  }
}

/** A block is not there (-32001; foundry: anvil/src/eth/error.rs, BlockNotFound). */
export class ResourceNotFoundError extends RpcError {
  override readonly name = 'ResourceNotFoundError'
  constructor() {
    super(-32001, 'Resource not found')
  }
}

/** No mined transaction has this hash. */
export class TransactionNotFoundError extends ServerError {
  /** 32 bytes. */
  readonly hash: Uint8Array

  constructor(hash: Uint8Array) {
    super('transaction not found')
    this.hash = hash
  }
}

/** The batch has used up its budget of response bytes (-32003; geth: rpc/errors.go). */
export class ResponseTooLargeError extends RpcError {
  override readonly name = 'ResponseTooLargeError'
  constructor() {
    super(-32003, 'response too large')
  }
}

/** The query exceeds what a call may cost (-32005, the code hosted providers use for it). */
export class LimitExceededError extends RpcError {
  override readonly name = 'LimitExceededError'
  constructor(message: string, data?: JsonValue) {
    super(-32005, message, { data })
  }
}

/** More storage slots are asked for than one request may (-38026; geth: internal/ethapi/errors.go). */
export class TooManySlotsError extends RpcError {
  override readonly name = 'TooManySlotsError'
  constructor(limit: number) {
    super(-38026, `too many slots (max ${limit})`)
  }
}

/** Execution ended in a REVERT; `data` is what it returned as hexadecimal (code 3; geth: internal/ethapi/errors.go). */
export class RevertError extends RpcError {
  override readonly name = 'RevertError'
  constructor(message: string, data: string) {
    super(3, message, { data })
  }
}
