import { MemoryShare } from '../encoding/memoryShare.js'
import {
  type Awaitable,
  ShortWorkQueue,
  type Steps,
  TimeSlice,
  runInSlices,
  runToCompletion,
} from '../encoding/timeSlice.js'
import type { RequestContext, Transport } from './callPolicy.js'
import { decodeChunks } from './envelope/decodeChunks.js'
import { describeJsonFaultInSteps, describeSyntaxErrorInSteps } from '../encoding/syntaxError.js'
import { ParseError, ServerError } from './errors.js'
import { randomId } from './subscriptions/filterStore.js'
import { type Reply, type WirePiece, createReply, errorText, joinPieces } from './wire.js'

/** A connection that supports push, such as a WebSocket. */
export interface Connection {
  /** Sends the answer to a message. */
  answer(reply: Reply): void
  /** Sends a message that is not an answer. */
  push(message: Uint8Array): void
  /** Bytes queued for sending. */
  readonly bufferedBytes: number
  /** Closes the connection. @param reason - for the peer @param code - RFC 6455, section 7.4.1; 1008 by default */
  close(reason: string, code?: number): void
}

/** Answers a body, like RpcPipeline.answerBody. */
type Handle = (body: Uint8Array | string, context: RequestContext) => Awaitable<Reply | undefined>

/** RFC 6455, section 7.4.1. */
const NORMAL_CLOSURE = 1000

/**
 * One connection's end of the pipeline: answers its messages and pushes its subscriptions.
 *
 * A subscription pushes nothing before the answer that carries its id has been sent.
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

  /** Handles one message. Answers go out in order of completion; a synchronous answer needs no promise. */
  receive(message: Uint8Array | string): Awaitable<void> {
    const subscriptions = this.#subscriptions.forMessage()
    const context = new MessageContext(this.#context, subscriptions)
    const handled = this.#handle(message, context)
    if (handled instanceof Promise) {
      return this.#answerLater(message, handled).finally(() => {
        subscriptions.release()
        context.memory.end()
      })
    }
    if (handled?.malformed) this.#refuse(runToCompletion(this.#faultOf(message)))
    else if (handled !== undefined) this.#connection.answer(handled)
    subscriptions.release()
  }

  async #answerLater(message: Uint8Array | string, handled: Promise<Reply | undefined>): Promise<void> {
    const reply = await handled
    if (reply?.malformed) {
      this.#refuse(await runInSlices(this.#faultOf(message), new TimeSlice()))
    } else if (reply !== undefined) this.#connection.answer(reply)
  }

  /** Describes a syntax error; undefined on a stream, if the message is merely truncated. */
  *#faultOf(message: Uint8Array | string): Steps<string | undefined> {
    const text = typeof message === 'string' ? message : yield* decodeChunks([message])
    yield
    return yield* this.#context.transport === 'websocket'
      ? describeJsonFaultInSteps(text)
      : describeSyntaxErrorInSteps(text)
  }

  /** Answers a message that is not JSON, and closes the connection normally (geth: rpc/client.go, rpc/json.go). */
  #refuse(syntaxError: string | undefined): void {
    if (syntaxError !== undefined)
      this.#connection.answer(createReply([errorText('null', new ParseError(syntaxError))]))
    this.#connection.close('', NORMAL_CLOSURE)
  }

  /** Ends all subscriptions. Call this once the connection is gone. */
  close(): void {
    this.#subscriptions.close()
  }
}

/** Context of one message. A class, because member access on object copies is slower. */
class MessageContext implements RequestContext {
  readonly transport: Transport
  readonly caller: object | undefined
  readonly subscriptions: Subscriptions
  readonly maxBatch: number | undefined
  readonly isPlainPath: boolean | undefined
  readonly signal: AbortSignal | undefined
  readonly memory = new MemoryShare()

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

/**
 * Source of one subscription: passes payloads to `push`. One that makes its payloads itself waits until `isDrained`.
 *
 * @returns a function that ends it
 */
export type Feed = (push: (payload: readonly WirePiece[]) => void, isDrained: () => boolean) => () => void

/** Opens and closes subscriptions for methods. */
export interface Subscriptions {
  /**
   * @param method - `eth_subscribe`, or that of another namespace, which names the pushes
   * @returns the id
   * @throws ServerError if there are too many
   */
  open(feed: Feed, method: string): string
  /** @returns false if the connection has no subscription with this id */
  close(id: string): boolean
  /** Closes the connection; with code 1006, without a close frame (RFC 6455, section 7.4.1). */
  disconnect(end: { code: number; reason: string }): void
}

/** A subscriber with more unsent bytes than this is disconnected. */
export const MAX_WAITING_BYTES = 32 * 1024 * 1024
/** With fewer unsent bytes than this, a subscriber gets more at once. */
const DRAINED_BYTES = 1024 * 1024

interface Subscription {
  /** Method name of the pushes. */
  notification: string
  end: () => void
  /** Payloads held until the answer with the id has been sent; undefined afterwards. */
  held: (readonly WirePiece[])[] | undefined
}

/** Maximum number of subscriptions of all connections: each takes a kilobyte, and most see each new block. */
const MAX_SUBSCRIPTIONS = 50_000
let openSubscriptions = 0

/** Queue of pushes, shared by all connections. */
const pushes = new ShortWorkQueue()

/** The subscriptions of one connection. */
export class SessionSubscriptions {
  readonly #target: Omit<Connection, 'answer'>
  readonly #open = new Map<string, Subscription>()
  #isClosed = false

  constructor(target: Omit<Connection, 'answer'>) {
    this.#target = target
  }

  /** Returns a handle that holds back the subscriptions opened through it until `release`. */
  forMessage(): Subscriptions & { release(): void } {
    let opened: string[] | undefined
    return {
      open: (feed, method) => {
        const id = this.#start(feed, method.replace(/subscribe$/, 'subscription'))
        ;(opened ??= []).push(id)
        return id
      },
      close: (id) => this.#end(id),
      disconnect: ({ code, reason }) => this.#target.close(reason, code),
      release: () => opened?.forEach((id) => this.#release(id)),
    }
  }

  /** Ends all subscriptions for good: a message may still open one after its connection is gone. */
  close(): void {
    this.#isClosed = true
    for (const id of [...this.#open.keys()]) this.#end(id)
  }

  #start(feed: Feed, notification: string): string {
    const id = randomId()
    if (this.#isClosed) return id
    if (openSubscriptions >= MAX_SUBSCRIPTIONS) throw new ServerError('too many subscriptions')
    const subscription: Subscription = { notification, end: () => undefined, held: [] }
    this.#open.set(id, subscription)
    openSubscriptions++
    subscription.end = feed(
      (payload) => {
        if (subscription.held !== undefined) subscription.held.push(payload)
        else pushes.add(() => this.#push(id, payload))
      },
      () => subscription.held === undefined && this.#target.bufferedBytes < DRAINED_BYTES,
    )
    return id
  }

  #release(id: string): void {
    const subscription = this.#open.get(id)
    const held = subscription?.held ?? []
    if (subscription !== undefined) subscription.held = undefined
    for (const payload of held) pushes.add(() => this.#push(id, payload))
  }

  #end(id: string): boolean {
    this.#open.get(id)?.end()
    const isOpen = this.#open.delete(id)
    if (isOpen) openSubscriptions--
    return isOpen
  }

  #push(id: string, payload: readonly WirePiece[]): void {
    const subscription = this.#open.get(id)
    if (subscription === undefined) return
    if (this.#target.bufferedBytes > MAX_WAITING_BYTES) {
      this.close()
      this.#target.close('too slow for its subscriptions')
      return
    }
    const { notification } = subscription
    const head = `{"jsonrpc":"2.0","method":"${notification}","params":{"subscription":"${id}","result":`
    this.#target.push(joinPieces([head, ...payload, '}}']))
  }
}
