import { withHardhatData } from './hardhatMessages.js'
import { TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import type { Backend, RpcSettings } from './backend.js'
import type { CallPolicy, CallRecord, PolicyCall, RequestContext } from './callPolicy.js'
import { toRpcError } from './chainErrors.js'
import {
  type Body,
  type Message,
  isCall,
  isNotification,
  isResponse,
  readBody,
  readBodyInPieces,
} from './envelope/body.js'
import {
  InternalError,
  InvalidRequestError,
  MethodNotFoundError,
  NotificationsUnsupportedError,
  ParseError,
  type RefusalReply,
  ResponseTooLargeError,
  RpcError,
} from './errors.js'
import type { Method, Result } from './method.js'
import { type Connection, Session } from './session.js'
import type { FilterStore } from './subscriptions/filters.js'
import {
  type Outcome,
  type Reply,
  WireBytes,
  type WirePiece,
  createReply,
  encodeResult,
  errorPieces,
  errorText,
  outcomeBytes,
  successPieces,
} from './wire.js'

/*
 * The way of a request, from top to bottom:
 *
 *   answerRequest   authenticate, read the body            a request over HTTP enters here
 *   answerBody      parse the envelope                     a message of a WebSocket or of IPC joins here
 *   #answerBatch    the calls of a batch, one by one
 *   #execute        policy (allowlists, quotas, faults)    a call in process joins here
 *   #invoke         look the method up, decode, run it, encode the result
 *   #execute        record the outcome in the journal
 *
 * What counts as what, and the texts, are those of geth (rpc/handler.go, rpc/json.go).
 */

/** A request that was let in. */
export interface Admission<Context extends RequestContext> {
  context: Context
  /** Longest body in bytes. */
  maxBody: number
}

/**
 * What a transport of whole requests brings to the pipeline. `Answer` is its own form of an answer in which there is no
 * JSON-RPC, such as a refusal.
 */
export interface RequestTransport<Context extends RequestContext, Answer> {
  /** Authenticates the request: key, secret, token, origin. */
  admit(): Promise<Admission<Context> | { answer: Answer }>
  /** Reads the body, unless the transport answers the request by itself. */
  readBody(admission: Admission<Context>): Promise<{ content: Uint8Array | string } | { answer: Answer }>
  /** The pipeline of the network that was asked, once it is open. */
  open(): RpcPipeline | Promise<RpcPipeline>
}

/** Answers a request over HTTP. */
export async function answerRequest<Context extends RequestContext, Answer>(
  transport: RequestTransport<Context, Answer>,
): Promise<{ context: Context; reply: Reply | undefined } | { answer: Answer }> {
  // Of hundreds of requests that come at once only some begin before others are served.
  const pause = new TimeSlice().pause()
  if (pause !== undefined) await pause
  const admission = await transport.admit()
  if ('answer' in admission) return admission
  const body = await transport.readBody(admission)
  if ('answer' in body) return body
  const pipeline = await transport.open()
  const { context } = admission
  return { context, reply: await pipeline.answerBody(body.content, context) }
}

/** What batches may cost. */
export interface BatchLimits {
  /** Most messages in a batch. */
  maxItems: number
  /** Most bytes of all results and errors of a batch; the answer that crosses it is kept. No limit if undefined. */
  maxResponseBytes?: number | undefined
}

/** Answers calls in place of their methods, as a cassette does. */
export interface CallInterceptor {
  /** Calls go to it while this is active. */
  readonly cassette: { readonly isActive: boolean }
  /**
   * @param own - the method's own answer
   * @param batch - stands for the batch of the call, whose calls are all made before any of them is answered
   * @throws RpcError
   */
  answer(call: PolicyCall, own: () => Result | Promise<Result>, batch?: object): Result | Promise<Result>
}

/** What the pipeline of a network is made of. */
export interface PipelineSetup {
  /** By name. */
  methods: ReadonlyMap<string, Method>
  backend: Backend
  filters: FilterStore
  policy?: CallPolicy | undefined
  interceptor?: CallInterceptor | undefined
  batch: BatchLimits
  /** Told of faults of ours, with the method that met them. */
  report: (method: string, fault: unknown) => void
}

/** A longer body, in bytes or characters, is read in turns with other requests. */
const largeBody = 256 * 1024

/** Longest method name that is looked up, in bytes (geth: rpc/handler.go). */
const maxMethodNameLength = 2048

/** The calls of a batch that wait until each of them has passed the call policy, or was refused. */
class Gathering {
  #missing = 0
  #resolve: (() => void) | undefined
  readonly #complete = new Promise<void>((resolve) => (this.#resolve = resolve))
  /** Whether the call policy has refused none of them. */
  isWhole = true

  expect(): void {
    this.#missing++
  }

  /** @returns settles when all have arrived that were expected */
  arrive(): Promise<void> {
    if (--this.#missing === 0) this.#resolve?.()
    return this.#complete
  }
}

/** JSON-RPC 2.0 of one network, over whatever transport. */
export class RpcPipeline {
  readonly #setup: PipelineSetup

  constructor(setup: PipelineSetup) {
    this.#setup = setup
  }

  /**
   * Answers a body.
   *
   * @returns undefined where nothing is answered: to an empty body, to notifications and to responses
   */
  async answerBody(body: Uint8Array | string, context: RequestContext): Promise<Reply | undefined> {
    let envelope: Body
    try {
      envelope =
        body.length > largeBody ? await runInSlices(readBodyInPieces(body), new TimeSlice()) : readBody(body)
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      this.#setup.policy?.malformed?.({ context, error })
      return createReply([errorText('null', error)], { malformed: true })
    }
    if (envelope.kind === 'empty') return undefined
    if (envelope.kind === 'batch') return this.#answerBatch(envelope.messages, context)
    const { message, text } = envelope
    return singleReply(message, await this.#answerMessage(message, context, text))
  }

  /** Opens a session for a connection that can be pushed to. */
  open(connection: Connection, context: RequestContext): Session {
    return new Session(connection, context, (body, from) => this.answerBody(body, from))
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
    const outcome = await this.#execute(call)
    if ('error' in outcome) throw outcome.error
    return new WireBytes(outcome.result).parse()
  }

  async #answerBatch(messages: readonly Message[], context: RequestContext): Promise<Reply | undefined> {
    const { batch, policy, interceptor } = this.#setup
    if (messages.length === 0) return createReply([errorText('null', new InvalidRequestError('empty batch'))])
    if (messages.length > (context.maxBatch ?? batch.maxItems)) {
      const id = messages.find(isCall)?.id ?? 'null'
      return createReply([`[${errorText(id, new InvalidRequestError('batch too large'))}]`])
    }
    policy?.batch?.({ size: messages.length, context })
    const gathering = interceptor?.cassette.isActive ? new Gathering() : undefined
    const together = gathering && this.#answerTogether(messages, context, gathering)
    const pieces: WirePiece[] = []
    const refusals: (RefusalReply | undefined)[] = []
    let bytes = 0
    const slice = new TimeSlice()
    for (const [index, message] of messages.entries()) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      const isFull = bytes > (batch.maxResponseBytes ?? Infinity)
      const outcome: Outcome | undefined =
        isFull && isCall(message)
          ? { error: new ResponseTooLargeError() }
          : await (together?.[index] ?? this.#answerMessage(message, context, undefined))
      refusals.push(outcome !== undefined && 'error' in outcome ? outcome.error.refusal : undefined)
      if (outcome !== undefined && batch.maxResponseBytes !== undefined) bytes += outcomeBytes(outcome)
      const answer = answerPieces(message, outcome)
      if (answer !== undefined) pieces.push(pieces.length === 0 ? '[' : ',', ...answer)
    }
    const [refusal] = refusals
    if (gathering?.isWhole && refusal !== undefined && refusals.every((one) => one?.body === refusal.body)) {
      return createReply([refusal.body], refusal)
    }
    return pieces.length === 0 ? undefined : createReply([...pieces, ']'])
  }

  /** Makes all calls of a batch before any of them is answered: a cassette passes them on as one batch. */
  #answerTogether(
    messages: readonly Message[],
    context: RequestContext,
    gathering: Gathering,
  ): readonly Promise<Outcome | undefined>[] {
    return messages.map((message) => this.#answerMessage(message, context, undefined, gathering))
  }

  /**
   * How a message ends; undefined if it is none that does anything.
   *
   * @param text - what it was read from; undefined in a batch
   */
  async #answerMessage(
    message: Message,
    context: RequestContext,
    text: string | undefined,
    gathering?: Gathering,
  ): Promise<Outcome | undefined> {
    if (isCall(message) || isNotification(message)) {
      const { method, params, length, idAbsent } = message
      if (idAbsent && method.endsWith('_subscription')) return undefined
      const isLarge = length > largeBody
      return this.#execute({ method, params, text, batched: text === undefined, isLarge, context }, gathering)
    }
    return isResponse(message) ? undefined : { error: new InvalidRequestError() }
  }

  /** Carries a call out: policy, method, record. */
  async #execute(call: PolicyCall, gathering?: Gathering): Promise<Outcome> {
    const { policy } = this.#setup
    gathering?.expect()
    const started = performance.now()
    let record: CallRecord | undefined
    try {
      record = await policy?.enter(call)
    } catch (refusal) {
      if (gathering !== undefined) gathering.isWhole = false
      void gathering?.arrive()
      return this.#failure(call, refusal)
    }
    if (gathering !== undefined) await gathering.arrive()
    const outcome = await this.#invoke(call, record, gathering)
    record?.done?.({
      error: 'error' in outcome ? outcome.error : undefined,
      result: 'result' in outcome ? outcome.result : undefined,
      bytes: outcomeBytes(outcome),
      milliseconds: performance.now() - started,
    })
    return outcome
  }

  /** The only place that catches what methods throw. */
  async #invoke(
    call: PolicyCall,
    record: CallRecord | undefined,
    gathering: Gathering | undefined,
  ): Promise<Outcome> {
    try {
      const { interceptor } = this.#setup
      const run = (): Result | Promise<Result> => this.#run(call, record)
      if (record?.answer !== undefined) return { result: encodeResult(await record.answer()) }
      const isPlayed = interceptor?.cassette.isActive === true
      return { result: encodeResult(await (isPlayed ? interceptor.answer(call, run, gathering) : run())) }
    } catch (error) {
      return this.#failure(call, error)
    }
  }

  #run(call: PolicyCall, record: CallRecord | undefined): Result | Promise<Result> {
    const { filters, report } = this.#setup
    const backend = withSettings(this.#setup.backend, record?.settings)
    const view = record?.view ?? backend.chain
    const { context, params, isLarge } = call
    return this.#method(call).invoke({ view, backend, filters, context, isLarge, report }, params)
  }

  #method({ method: name, context }: PolicyCall): Method {
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

  #failure(call: PolicyCall, thrown: unknown): Outcome {
    const error = this.#toRpcError(call, thrown)
    if (error instanceof InternalError) this.#setup.report(call.method, error.cause)
    return { error }
  }

  /** A fault in the wording itself is answered too: the caller waits for an answer. */
  #toRpcError(call: PolicyCall, thrown: unknown): RpcError {
    const { errorMessages } = this.#setup.backend.settings.compatibility
    try {
      const error = toRpcError(thrown, errorMessages)
      if (errorMessages !== 'hardhat' || error instanceof InternalError) return error
      return withHardhatData(error, call)
    } catch (fault) {
      return new InternalError(fault)
    }
  }
}

function withSettings(backend: Backend, settings: Partial<RpcSettings> | undefined): Backend {
  return settings === undefined ? backend : { ...backend, settings: { ...backend.settings, ...settings } }
}

/** One message's part of a reply; undefined where nothing is answered. */
function answerPieces(message: Message, outcome: Outcome | undefined): readonly WirePiece[] | undefined {
  if (outcome === undefined || isNotification(message)) return undefined
  const id = message.id ?? 'null'
  return 'error' in outcome ? errorPieces(id, outcome.error) : successPieces(id, outcome.result)
}

function singleReply(message: Message, outcome: Outcome | undefined): Reply | undefined {
  const answer = answerPieces(message, outcome)
  if (answer === undefined) return undefined
  if (outcome === undefined || 'result' in outcome) return createReply(answer)
  const { refusal, status = 200 } = outcome.error
  return refusal === undefined ? createReply(answer, { status }) : createReply([refusal.body], refusal)
}
