import type { RequestContext } from './context.js'
import { describeSyntaxError } from './envelope/syntaxError.js'
import { ParseError } from './errors.js'
import { errorText, type Reply } from './reply.js'
import { SessionSubscriptions } from './subscriptions/sessionSubscriptions.js'

/** A connection that messages can be pushed to, such as a WebSocket. */
export interface Connection {
  /** Sends one message whose bytes are these pieces, in order. */
  send(pieces: readonly Uint8Array[]): void
  /** Bytes that were sent and have not left yet. */
  readonly bufferedBytes: number
  /** Ends the connection. @param reason - for the other side */
  close(reason: string): void
}

/** Answers a body, as Dispatcher.handle does. */
type Handle = (
  body: Uint8Array | string,
  context: RequestContext,
) => Reply | undefined | Promise<Reply | undefined>

/**
 * One connection's side of the dispatcher: its messages are answered, and what it subscribed to is pushed.
 *
 * A subscription's first push waits until the answer that carries its id has been sent.
 */
export class Session {
  readonly #connection: Connection
  readonly #context: Omit<RequestContext, 'subscriptions'>
  readonly #handle: Handle
  readonly #subscriptions: SessionSubscriptions

  constructor(connection: Connection, context: RequestContext, handle: Handle) {
    this.#connection = connection
    this.#subscriptions = new SessionSubscriptions(connection)
    this.#context = context
    this.#handle = handle
  }

  /** Takes one message. Answers come in the order in which they are ready. */
  async receive(message: Uint8Array | string): Promise<void> {
    const subscriptions = this.#subscriptions.forMessage()
    try {
      const handled = this.#handle(message, { ...this.#context, subscriptions })
      const reply = handled instanceof Promise ? await handled : handled
      if (reply?.malformed) this.#refuse(message)
      else if (reply !== undefined) this.#connection.send(reply.pieces)
    } finally {
      subscriptions.release()
    }
  }

  /** Says what is wrong with a message, unless it just breaks off, and ends the connection (geth: rpc/handler.go). */
  #refuse(message: Uint8Array | string): void {
    const words = describeSyntaxError(Buffer.from(message).toString())
    if (words !== undefined) this.#connection.send([Buffer.from(errorText('null', new ParseError(words)))])
    this.#connection.close('malformed message')
  }

  /** Ends all subscriptions; called when the connection is gone. */
  close(): void {
    this.#subscriptions.clear()
  }
}
