import { runInSlices, TimeSlice } from '../encoding/timeSlice.js'
import type { RequestContext, Transport } from './callPolicy.js'
import { describeSyntaxError, describeSyntaxErrorInPieces } from './envelope/syntaxError.js'
import { ParseError } from './errors.js'
import { createReply, errorText, type Reply } from './reply.js'
import { SessionSubscriptions, type Subscriptions } from './subscriptions/sessionSubscriptions.js'

/** A connection that messages can be pushed to, such as a WebSocket. */
export interface Connection {
  /** Sends the answer to a message. */
  answer(reply: Reply): void
  /** Sends a message that is no answer. */
  push(message: Uint8Array): void
  /** Bytes that were sent and have not left yet. */
  readonly bufferedBytes: number
  /** Ends the connection. @param reason - for the other side */
  close(reason: string): void
}

/** Answers a body, as RpcPipeline.answerBody does. */
type Handle = (
  body: Uint8Array | string,
  context: RequestContext,
) => Reply | undefined | Promise<Reply | undefined>

/**
 * One connection's side of the pipeline: its messages are answered, and what it subscribed to is pushed.
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

  /**
   * Takes one message. Answers come in the order in which they are ready: what is answered at once needs no promise.
   */
  receive(message: Uint8Array | string): void | Promise<void> {
    const subscriptions = this.#subscriptions.forMessage()
    const handled = this.#handle(message, new MessageContext(this.#context, subscriptions))
    if (handled instanceof Promise) {
      return this.#answerLater(message, handled).finally(() => subscriptions.release())
    }
    if (handled?.malformed) this.#refuse(describeSyntaxError(textOf(message)))
    else if (handled !== undefined) this.#connection.answer(handled)
    subscriptions.release()
  }

  async #answerLater(message: Uint8Array | string, handled: Promise<Reply | undefined>): Promise<void> {
    const reply = await handled
    if (reply?.malformed) {
      this.#refuse(await runInSlices(describeSyntaxErrorInPieces(textOf(message)), new TimeSlice()))
    } else if (reply !== undefined) this.#connection.answer(reply)
  }

  /**
   * Says what is wrong with a message, unless it just breaks off, and ends the connection (geth: rpc/handler.go).
   *
   * @param words - undefined if it breaks off
   */
  #refuse(words: string | undefined): void {
    if (words !== undefined) this.#connection.answer(createReply([errorText('null', new ParseError(words))]))
    this.#connection.close('malformed message')
  }

  /** Ends all subscriptions; called when the connection is gone. */
  close(): void {
    this.#subscriptions.close()
  }
}

function textOf(message: Uint8Array | string): string {
  if (typeof message === 'string') return message
  return Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString()
}

/** Where one message of a connection comes from: the members of a copy would be found more slowly. */
class MessageContext implements RequestContext {
  readonly transport: Transport
  readonly caller: object | undefined
  readonly subscriptions: Subscriptions
  readonly maxBatch: number | undefined
  readonly isPlainPath: boolean | undefined
  readonly signal: AbortSignal | undefined

  constructor(
    { transport, caller, maxBatch, isPlainPath, signal }: RequestContext,
    subscriptions: Subscriptions,
  ) {
    this.transport = transport
    this.caller = caller
    this.subscriptions = subscriptions
    this.maxBatch = maxBatch
    this.isPlainPath = isPlainPath
    this.signal = signal
  }
}
