import type { JsonValue } from './wire.js'

/** Reply that replaces the whole HTTP response instead of being an error object inside it. */
export interface RefusalReply {
  /** HTTP status. */
  status: number
  contentType: string
  /** Headers other than the media type. */
  headers?: Readonly<Record<string, string>>
  body: string
}

/** Optional details of an RpcError. */
export interface RpcErrorDetails {
  data?: JsonValue | undefined
  /** Error object as JSON text, if it comes from another node; sent unchanged. */
  text?: string
  /** Members of the error object besides code, message and data. */
  members?: Readonly<Record<string, JsonValue>>
  /** HTTP status of a reply that consists only of this error; 200 by default. */
  status?: number
  /** Replaces the error object if the call is alone in an HTTP request. */
  refusal?: RefusalReply
  cause?: unknown
}

/** A JSON-RPC 2.0 error (section 5.1 of the specification). */
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

  /** Returns the error object of the answer. */
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

/** The message is JSON but not a request (-32600; geth: rpc/errors.go). */
export class InvalidRequestError extends RpcError {
  override readonly name = 'InvalidRequestError'
  constructor(message = 'invalid request') {
    super(-32600, message)
  }
}

/** Replaces surrogates without their other half, as Go does where it decodes a string. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

/** The method is unknown or not enabled (-32601, with the hosted provider's message). */
export class MethodNotFoundError extends RpcError {
  override readonly name = 'MethodNotFoundError'
  readonly method: string
  constructor(method: string) {
    super(-32601, `The method ${wellFormed(method)} does not exist/is not available`)
    this.method = method
  }
}

/** A subscription was requested on a transport without push (-32601; geth: rpc/subscription.go). */
export class NotificationsUnsupportedError extends RpcError {
  override readonly name = 'NotificationsUnsupportedError'
  constructor() {
    super(-32601, 'notifications not supported')
  }
}

/** The namespace has no such subscription (-32601; geth: rpc/errors.go). */
export class SubscriptionKindNotFoundError extends RpcError {
  override readonly name = 'SubscriptionKindNotFoundError'
  constructor(namespace: string, kind: string) {
    super(-32601, `no "${wellFormed(kind)}" subscription in ${wellFormed(namespace)} namespace`)
  }
}

/** The arguments do not fit the method. */
export class InvalidParamsError extends RpcError {
  override readonly name = 'InvalidParamsError'
  constructor(message: string, code = -32602) {
    super(code, message)
  }
}

/** An internal fault; the caller sees only that there was one (-32603; geth: rpc/service.go). */
export class InternalError extends RpcError {
  override readonly name = 'InternalError'
  constructor(cause: unknown) {
    super(-32603, 'method handler crashed', { cause })
  }
}

/** Any error without a code of its own (-32000, geth's default: rpc/json.go). */
export class ServerError extends RpcError {
  override readonly name = 'ServerError'
  constructor(message: string) {
    super(-32000, message)
  }
}

/** A block was not found (-32001; foundry: anvil/src/eth/error.rs, BlockNotFound). */
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

/** The request took too long (-32002; geth: rpc/errors.go). */
export class TimeoutError extends RpcError {
  override readonly name = 'TimeoutError'
  constructor() {
    super(-32002, 'request timed out')
  }
}

/** The batch exceeds its limit of response bytes (-32003; geth: rpc/errors.go). */
export class ResponseTooLargeError extends RpcError {
  override readonly name = 'ResponseTooLargeError'
  constructor() {
    super(-32003, 'response too large')
  }
}

/** The query exceeds the limits of a call (-32005, the code that hosted providers use). */
export class LimitExceededError extends RpcError {
  override readonly name = 'LimitExceededError'
  constructor(message: string, data?: JsonValue) {
    super(-32005, message, { data })
  }
}

/** More storage slots were requested than allowed (-38026; geth: internal/ethapi/errors.go). */
export class TooManySlotsError extends RpcError {
  override readonly name = 'TooManySlotsError'
  constructor(limit: number) {
    super(-38026, `too many slots (max ${limit})`)
  }
}

/** Execution reverted; `data` is the return data in hex (code 3; geth: internal/ethapi/errors.go). */
export class RevertError extends RpcError {
  override readonly name = 'RevertError'
  constructor(message: string, data: string) {
    super(3, message, { data })
  }
}
