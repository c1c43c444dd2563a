import { runInSlices, TimeSlice } from '../encoding/timeSlice.js'
import type { RequestContext } from './context.js'
import { readBody, readBodyInPieces, type Body } from './envelope/body.js'
import type { Message } from './envelope/message.js'
import { InvalidRequestError, ParseError, ResponseTooLargeError } from './errors.js'
import { CallExecutor, outcomeBytes, type ExecutionSetup, type Outcome } from './execute.js'
import { createReply, errorText, successPieces, type Reply } from './reply.js'
import { Session, type Connection } from './session.js'
import { WireBytes, type WirePiece } from './wire.js'

/** What batches may cost. */
export interface BatchLimits {
  /** Most messages in a batch. */
  maxItems: number
  /** Most bytes of all results and errors of a batch; the answer that crosses it is kept. No limit if undefined. */
  maxResponseBytes?: number | undefined
}

/** What a dispatcher is made of. */
export interface DispatcherOptions extends ExecutionSetup {
  batch: BatchLimits
}

/** A longer body, in bytes or characters, is read in turns with other requests. */
const LARGE_BODY = 256 * 1024

type SingleMessage = Extract<Body, { kind: 'single' }>

/** One message's part of a reply; undefined where nothing is answered. */
type Answer = readonly WirePiece[] | undefined

/**
 * JSON-RPC 2.0 over whatever transport: HTTP bodies, WebSocket messages and calls in process come together here. What
 * counts as what, and the words, are those of geth (rpc/handler.go, rpc/json.go).
 */
export class Dispatcher {
  readonly #calls: CallExecutor
  readonly #batch: BatchLimits
  readonly #gate: ExecutionSetup['gate']

  constructor({ batch, ...setup }: DispatcherOptions) {
    this.#calls = new CallExecutor(setup)
    this.#batch = batch
    this.#gate = setup.gate
  }

  /**
   * Answers a body.
   *
   * @returns undefined where nothing is answered: to an empty body, to notifications and to responses
   */
  handle(body: Uint8Array | string, context: RequestContext): Reply | undefined | Promise<Reply | undefined> {
    if (body.length > LARGE_BODY) return this.#handleLarge(body, context)
    let read: Body
    try {
      read = readBody(body)
    } catch (error) {
      return refusalOf(error)
    }
    return this.#answer(read, context)
  }

  async #handleLarge(body: Uint8Array | string, context: RequestContext): Promise<Reply | undefined> {
    let read: Body
    try {
      read = await runInSlices(readBodyInPieces(body), new TimeSlice())
    } catch (error) {
      return refusalOf(error)
    }
    return this.#answer(read, context)
  }

  #answer(read: Body, context: RequestContext): Reply | undefined | Promise<Reply | undefined> {
    if (read.kind === 'empty') return undefined
    if (read.kind === 'batch') return this.#answerBatch(read.messages, context)
    return this.#answerSingle(read, context)
  }

  /** Opens a session for a connection that can be pushed to. */
  open(connection: Connection, context: RequestContext): Session {
    return new Session(connection, context, (body, from) => this.handle(body, from))
  }

  /**
   * Calls a method in process.
   *
   * @returns the result as plain JSON values
   * @throws RpcError
   */
  async request(
    method: string,
    params?: unknown,
    context: RequestContext = { transport: 'in-process' },
  ): Promise<unknown> {
    const call = { method, params, text: undefined, batched: false, isLarge: false, context }
    const outcome = await this.#calls.execute(call)
    if ('error' in outcome) throw outcome.error
    return new WireBytes(outcome.result).parse()
  }

  #answerSingle(
    { message, text }: SingleMessage,
    context: RequestContext,
  ): Reply | undefined | Promise<Reply | undefined> {
    const outcome = this.#outcome(message, context, text)
    if (outcome instanceof Promise) return outcome.then((settled) => singleReply(message, settled))
    return singleReply(message, outcome)
  }

  /**
   * How a message ends; undefined if it is none that does anything.
   *
   * @param text - what it was read from; undefined in a batch
   */
  #outcome(
    message: Message,
    context: RequestContext,
    text: string | undefined,
  ): Outcome | undefined | Promise<Outcome> {
    if (isCall(message) || isNotification(message)) {
      if (message.idAbsent && message.method.endsWith('_subscription')) return undefined
      const { method, params } = message
      const isLarge = message.length > LARGE_BODY
      return this.#calls.execute({ method, params, text, batched: text === undefined, isLarge, context })
    }
    return isResponse(message) ? undefined : { error: new InvalidRequestError() }
  }

  async #answerBatch(messages: readonly Message[], context: RequestContext): Promise<Reply | undefined> {
    if (messages.length === 0) return createReply([errorText('null', new InvalidRequestError('empty batch'))])
    if (messages.length > (context.maxBatch ?? this.#batch.maxItems)) {
      const id = messages.find(isCall)?.id ?? 'null'
      return createReply([`[${errorText(id, new InvalidRequestError('batch too large'))}]`])
    }
    this.#gate?.batch?.({ size: messages.length, context })
    const pieces: WirePiece[] = []
    let bytes = 0
    const slice = new TimeSlice()
    for (const message of messages) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      const full = bytes > (this.#batch.maxResponseBytes ?? Infinity)
      const outcome: Outcome | undefined =
        full && isCall(message)
          ? { error: new ResponseTooLargeError() }
          : await this.#outcome(message, context, undefined)
      if (outcome !== undefined && this.#batch.maxResponseBytes !== undefined) bytes += outcomeBytes(outcome)
      const answer = answerTo(message, outcome)
      if (answer === undefined) continue
      pieces.push(pieces.length === 0 ? '[' : ',', ...answer)
    }
    return pieces.length === 0 ? undefined : createReply([...pieces, ']'])
  }
}

/** The answer to a body that cannot be read. */
function refusalOf(error: unknown): Reply {
  if (!(error instanceof ParseError)) throw error
  return createReply([errorText('null', error)], { malformed: true })
}

function isCall(message: Message): boolean {
  return message.versionValid && message.id !== undefined && message.method !== ''
}

function isNotification(message: Message): boolean {
  return message.versionValid && message.idAbsent && message.method !== ''
}

function isResponse(message: Message): boolean {
  const { versionValid, id, method, params, answers } = message
  return versionValid && id !== undefined && method === '' && params === undefined && answers
}

function answerTo(message: Message, outcome: Outcome | undefined): Answer {
  if (outcome === undefined || isNotification(message)) return undefined
  const id = message.id ?? 'null'
  return 'error' in outcome ? [errorText(id, outcome.error)] : successPieces(id, outcome.result)
}

function singleReply(message: Message, outcome: Outcome | undefined): Reply | undefined {
  const answer = answerTo(message, outcome)
  if (answer === undefined) return undefined
  if (outcome === undefined || 'result' in outcome) return createReply(answer)
  const { refusal, status = 200 } = outcome.error
  if (refusal === undefined) return createReply(answer, { status })
  return createReply([refusal.body], refusal)
}
