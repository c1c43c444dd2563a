/** The remote node of a fork cannot be used; the message says what is wrong and shows no key. */
export class ForkError extends Error {
  override readonly name = 'ForkError'
}

/** An error that the remote node answered with. */
export class RemoteRpcError extends Error {
  override readonly name = 'RemoteRpcError'
  readonly code: number
  readonly data: unknown
  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}
