import { TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import type { Backend, RpcSettings } from './backend.js'
import type { CallPolicy, CallRecord, RequestContext } from './callPolicy.js'
import { toRpcError } from './chainErrors.js'
import { type Body, readBody, readBodyInPieces } from './envelope/body.js'
import type { Message } from './envelope/message.js'
import {
  InternalError,
  InvalidRequestError,
  MethodNotFoundError,
  NotificationsUnsupportedError,
  ParseError,
  ResponseTooLargeError,
  RpcError,
} from './errors.js'
import type { Method, Result } from './method.js'
import { type Reply, createReply, errorText, successPieces } from './reply.js'
import { type Connection, Session } from './session.js'
import type { FilterStore } from './subscriptions/filterStore.js'
import { type JsonValue, WireBytes, type WirePiece, countBytes, printJson } from './wire.js'

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
  readonly #policy: ExecutionSetup['policy']

  constructor({ batch, ...setup }: DispatcherOptions) {
    this.#calls = new CallExecutor(setup)
    this.#batch = batch
    this.#policy = setup.policy
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
    this.#policy?.batch?.({ size: messages.length, context })
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

/** How a call ended: with the pieces of its result, or with an error. */
export type Outcome = { result: readonly WirePiece[] } | { error: RpcError }

/** One call to carry out. */
export interface CallRequest {
  method: string
  /** Undecoded. */
  params: unknown
  /** The JSON text that the call was read from; undefined in a batch and in process. */
  text: string | undefined
  batched: boolean
  /** Whether its text is so long that its parameters are decoded in turns with other requests. */
  isLarge: boolean
  context: RequestContext
}

/** Where the cause of an InternalError is reported. */
export type ReportFault = (method: string, fault: unknown) => void

/** Answers calls in place of their methods, as a cassette does. */
export interface CallInterceptor {
  /** Whether calls go to it. */
  readonly isActive: boolean
  /** @param own - the method's own answer @throws RpcError */
  answer(request: CallRequest, own: () => Result | Promise<Result>): Result | Promise<Result>
}

/** What calls are carried out with. */
export interface ExecutionSetup {
  methods: ReadonlyMap<string, Method>
  backend: Backend
  filters: FilterStore
  policy?: CallPolicy | undefined
  interceptor?: CallInterceptor | undefined
  report: ReportFault
}

/** Longest method name that is looked up, in bytes (geth: rpc/handler.go). */
const maxMethodNameLength = 2048

/**
 * Carries calls out: through the call policy, to the method, and back as wire bytes. This is the only place that catches what
 * methods throw. A call whose method answers at once is answered at once: there is no promise on its way.
 */
export class CallExecutor {
  readonly #setup: ExecutionSetup

  constructor(setup: ExecutionSetup) {
    this.#setup = setup
  }

  execute(request: CallRequest): Outcome | Promise<Outcome> {
    const { policy } = this.#setup
    if (policy === undefined) return this.#invoke(request, undefined)
    const started = performance.now()
    const refused = (error: unknown): Outcome => this.#failure(request.method, error)
    try {
      const record = policy.enter(request)
      if (!(record instanceof Promise)) return this.#passThrough(request, record, started)
      return record.then((opened) => this.#passThrough(request, opened, started)).catch(refused)
    } catch (error) {
      return refused(error)
    }
  }

  #passThrough(request: CallRequest, record: CallRecord, started: number): Outcome | Promise<Outcome> {
    const outcome = this.#invoke(request, record)
    if (record.done === undefined) return outcome
    const tell = (ended: Outcome): Outcome => {
      record.done?.({
        error: 'error' in ended ? ended.error : undefined,
        result: 'result' in ended ? ended.result : undefined,
        bytes: outcomeBytes(ended),
        milliseconds: performance.now() - started,
      })
      return ended
    }
    return outcome instanceof Promise ? outcome.then(tell) : tell(outcome)
  }

  #invoke(request: CallRequest, record: CallRecord | undefined): Outcome | Promise<Outcome> {
    try {
      const result = record?.answer === undefined ? this.#run(request, record) : record.answer()
      if (!(result instanceof Promise)) return success(result)
      return result.then(success).catch((error: unknown) => this.#failure(request.method, error))
    } catch (error) {
      return this.#failure(request.method, error)
    }
  }

  #run(request: CallRequest, record: CallRecord | undefined): Result | Promise<Result> {
    const { interceptor } = this.#setup
    if (!interceptor?.isActive) return this.#runMethod(request, record)
    return interceptor.answer(request, () => this.#runMethod(request, record))
  }

  #runMethod(request: CallRequest, record: CallRecord | undefined): Result | Promise<Result> {
    const { filters, report } = this.#setup
    const backend = withSettings(this.#setup.backend, record?.settings)
    const view = record?.view ?? backend.chain
    const { context, params, isLarge } = request
    return this.#method(request).invoke({ view, backend, filters, context, isLarge, report }, params)
  }

  #method({ method: name, context }: CallRequest): Method {
    // A character has at most three bytes: names of usual length are not counted.
    if (name.length * 3 > maxMethodNameLength && Buffer.byteLength(name) > maxMethodNameLength) {
      throw new RpcError(-32600, `method name too long: ${Buffer.byteLength(name)} > ${maxMethodNameLength}`)
    }
    if (name.endsWith('_subscribe') && context.subscriptions === undefined) {
      throw new NotificationsUnsupportedError()
    }
    const method = this.#setup.methods.get(name)
    if (method === undefined) throw new MethodNotFoundError(name)
    return method
  }

  #failure(method: string, thrown: unknown): Outcome {
    const error = this.#worded(thrown)
    if (error instanceof InternalError) this.#setup.report(method, error.cause)
    return { error }
  }

  /** A fault in the wording itself is answered too: whoever called waits for something. */
  #worded(thrown: unknown): RpcError {
    try {
      return toRpcError(thrown, this.#setup.backend.settings.compatibility.errorMessages)
    } catch (fault) {
      return new InternalError(fault)
    }
  }
}

function withSettings(backend: Backend, settings: Partial<RpcSettings> | undefined): Backend {
  return settings === undefined ? backend : { ...backend, settings: { ...backend.settings, ...settings } }
}

function success(result: Result): Outcome {
  return { result: result instanceof WireBytes ? result.pieces : [printJson(result)] }
}

/** Bytes of the result or of the error object. */
export function outcomeBytes(outcome: Outcome): number {
  if ('result' in outcome) return countBytes(outcome.result)
  const object: JsonValue = outcome.error.toObject()
  return Buffer.byteLength(printJson(object))
}
