import { withHardhatData } from './hardhatMessages.js'
import { type Awaitable, TimeSlice, orElse, turnIn, whenReady } from '../encoding/timeSlice.js'
import type { Backend, RpcSettings } from './backend.js'
import type { CallPolicy, CallRecord, PolicyCall, RequestContext } from './callPolicy.js'
import { toRpcError } from './chainErrors.js'
import {
  type Body,
  type Message,
  isCall,
  isNotification,
  isResponse,
  laneOf,
  LARGE_CALL,
  paramsOf,
  readEnvelope,
  refusalOfLength,
  withParams,
} from './envelope/body.js'
import { type EnvelopeRules, envelopeRules } from './envelope/rules.js'
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
import { subscriptionMethodNamed } from './methods/subscriptionMethods.js'
import type { RequestChecks } from './compatibility.js'
import { anvilArguments } from './serde/anvilArguments.js'
import { hardhatArguments } from './serde/hardhatArguments.js'
import { type Connection, Session } from './session.js'
import type { FilterStore } from './subscriptions/filterStore.js'
import {
  type Outcome,
  type Reply,
  WireBytes,
  type WirePiece,
  appendPieces,
  createReply,
  encodeResult,
  errorPieces,
  errorText,
  failedOutcome,
  failedOutcomeInSlices,
  joinStrings,
  outcomeBytes,
  successPieces,
} from './wire.js'

/*
 * The path of a request, from top to bottom:
 *
 *   answerRequest   authenticate, read the body            HTTP requests enter here
 *   answerBody      parse the envelope                     WebSocket and IPC messages join here
 *   #answerBatch    answer the calls of a batch one by one
 *   #execute        policy (allowlists, quotas, faults)    in-process calls join here
 *   #invoke         look up the method, decode, run, encode the result
 *   #execute        record the outcome in the journal
 *
 * Message classification and error texts follow geth (rpc/handler.go, rpc/json.go).
 */

/** Approximate bytes and characters of batch answers encoded in one step. */
const JOINED_LENGTH = 256 * 1024

/** An admitted request. */
export interface Admission<Context extends RequestContext> {
  context: Context
  /** Longest body in bytes. */
  maxBody: number
}

/** Transport of whole requests. `Answer` is the transport's own form of a reply without JSON-RPC, such as a refusal. */
export interface RequestTransport<Context extends RequestContext, Answer> {
  /** Authenticates the request by key, secret, token and origin. */
  admit(): Awaitable<Admission<Context> | { answer: Answer }>
  /** Reads the body, unless the transport itself answers the request. */
  readBody(admission: Admission<Context>): Awaitable<{ content: Uint8Array | string } | { answer: Answer }>
  /** Opens the pipeline of the requested network. */
  open(): Awaitable<RpcPipeline>
}

/** Outcome of an HTTP request. */
type RequestOutcome<Context, Answer> = { context: Context; reply: Reply | undefined } | { answer: Answer }

/** Answers an HTTP request, synchronously if its method is synchronous. */
export function answerRequest<Context extends RequestContext, Answer>(
  transport: RequestTransport<Context, Answer>,
): Awaitable<RequestOutcome<Context, Answer>> {
  return whenReady(transport.admit(), (admission) =>
    'answer' in admission ? admission : answerAdmitted(transport, admission),
  )
}

function answerAdmitted<Context extends RequestContext, Answer>(
  transport: RequestTransport<Context, Answer>,
  admission: Admission<Context>,
): Awaitable<RequestOutcome<Context, Answer>> {
  const { context } = admission
  return whenReady(transport.readBody(admission), (body) => {
    if ('answer' in body) return body
    const { content } = body
    // Spreads out bursts: of hundreds of requests arriving together, only some start before others are served.
    const turn = turnIn(() => laneOf(content))
    const opening = whenReady(turn, () => transport.open())
    const answering = whenReady(opening, (pipeline) => pipeline.answerBody(content, context))
    return whenReady(answering, (reply) => ({ context, reply }))
  })
}

/** Limits on batches. */
export interface BatchLimits {
  /** Maximum number of messages in a batch. */
  maxItems: number
  /** Maximum total bytes of results and errors; the answer that crosses it is kept. Unlimited if undefined. */
  maxResponseBytes?: number | undefined
}

/** Answers calls in place of their methods, as a cassette does. */
export interface CallInterceptor {
  /** Calls are intercepted while this is active. */
  readonly cassette: { readonly isActive: boolean }
  /**
   * Answers a call.
   *
   * @param own - runs the method itself
   * @param batch - identifies the batch; all its calls are made before any is answered
   * @throws RpcError
   */
  answer(call: PolicyCall, own: () => Awaitable<Result>, batch?: object): Awaitable<Result>
}

/** Parts of a network's pipeline. */
export interface PipelineSetup {
  /** Methods by name. */
  methods: ReadonlyMap<string, Method>
  backend: Backend
  filters: FilterStore
  policy?: CallPolicy | undefined
  interceptor?: CallInterceptor | undefined
  batch: BatchLimits
  /** Receives internal faults, with the name of the method that raised them. */
  report: (method: string, fault: unknown) => void
}

/** Maximum length of a method name in bytes (geth: rpc/handler.go). */
const MAX_METHOD_NAME_LENGTH = 2048

/** Barrier for the calls of a batch: each waits until all have been admitted or refused by the call policy. */
class AdmissionBarrier {
  #missing = 0
  #resolve: (() => void) | undefined
  readonly #complete = new Promise<void>((resolve) => (this.#resolve = resolve))
  /** Whether the call policy has admitted every call so far. */
  allAdmitted = true

  /** Passes a call through the call policy, then waits for the others. */
  async enter(policy: () => Awaitable<CallRecord | undefined>): Promise<CallRecord | undefined> {
    this.#missing++
    let record: CallRecord | undefined
    try {
      // Always awaited, so that every call of the batch is counted before the first passes the barrier.
      record = await policy()
    } catch (refusal) {
      this.allAdmitted = false
      throw refusal
    } finally {
      if (--this.#missing === 0) this.#resolve?.()
    }
    await this.#complete
    return record
  }
}

/** How each node reads arguments before a method decodes them. */
const argumentReaders: Readonly<Record<RequestChecks, (call: PolicyCall) => unknown>> = {
  geth: ({ params }) => params,
  anvil: anvilArguments,
  hardhat: hardhatArguments,
}

/** JSON-RPC 2.0 endpoint of one network, independent of the transport. */
export class RpcPipeline {
  readonly #setup: PipelineSetup

  constructor(setup: PipelineSetup) {
    this.#setup = setup
  }

  /** Answers a body. @returns undefined if there is nothing to answer: for an empty body, notifications, responses */
  answerBody(body: Uint8Array | string, context: RequestContext): Awaitable<Reply | undefined> {
    const envelope = readEnvelope(body, context.maxBatch ?? this.#setup.batch.maxItems)
    return whenReady(envelope, (read) => {
      const rules = this.#rules()
      const isMalformed = read instanceof ParseError || read.kind === 'empty'
      if (rules === undefined || !isMalformed) return this.#answerEnvelope(read, context)
      const error = rules.malformed(body)
      this.#setup.policy?.malformed?.({ context, error })
      return createReply([errorText('null', error)])
    })
  }

  /** Returns how the emulated node rejects malformed envelopes, if differently from geth. */
  #rules(): EnvelopeRules | undefined {
    return envelopeRules[this.#setup.backend.settings.compatibility.errorMessages]
  }

  #answerEnvelope(envelope: Body | ParseError, context: RequestContext): Awaitable<Reply | undefined> {
    const isMessage = context.transport === 'websocket'
    if (envelope instanceof ParseError || (envelope.kind === 'empty' && isMessage)) {
      const error = envelope instanceof ParseError ? envelope : new ParseError()
      this.#setup.policy?.malformed?.({ context, error })
      return createReply([errorText('null', error)], { malformed: true })
    }
    if (envelope.kind === 'empty') return undefined
    if (envelope.kind === 'batch') return this.#answerBatch(envelope.messages, context)
    const { message, text } = envelope
    return whenReady(this.#answerMessage(message, context, text), (outcome) => singleReply(message, outcome))
  }

  /** Opens a session for a connection that supports push. */
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
    const call = { method, params, text: undefined, batched: false, length: 0, context }
    const outcome = await this.#execute(call)
    if ('error' in outcome) throw outcome.error
    return new WireBytes(outcome.result).parse()
  }

  async #answerBatch(messages: readonly Message[], context: RequestContext): Promise<Reply | undefined> {
    const { batch, policy, interceptor } = this.#setup
    if (messages.length === 0) return this.#answerEmptyBatch()
    if (messages.length > (context.maxBatch ?? batch.maxItems)) {
      const id = messages.find(isCall)?.id ?? 'null'
      return createReply([`[${errorText(id, new InvalidRequestError('batch too large'))}]`])
    }
    policy?.batch?.({ size: messages.length, context })
    const barrier = interceptor?.cassette.isActive ? new AdmissionBarrier() : undefined
    const together = barrier && this.#answerTogether(await withParams(messages), context, barrier)
    const pieces: WirePiece[] = []
    // Answers not yet encoded. Encoding a long reply all at once would block other requests.
    let latest: WirePiece[] = []
    let length = 0
    const refusals: (RefusalReply | undefined)[] = []
    let bytes = 0
    const slice = new TimeSlice()
    for (const [index, message] of messages.entries()) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      if (context.signal?.aborted) return undefined
      const isFull = bytes > (batch.maxResponseBytes ?? Infinity)
      const outcome: Outcome | undefined =
        isFull && isCall(message)
          ? failedOutcome(new ResponseTooLargeError())
          : await (together?.[index] ?? this.#answerMessage(message, context, undefined))
      refusals.push(outcome !== undefined && 'error' in outcome ? outcome.error.refusal : undefined)
      if (outcome !== undefined && batch.maxResponseBytes !== undefined) bytes += outcomeBytes(outcome)
      const answer = answerPieces(message, outcome)
      if (answer === undefined) continue
      latest.push(pieces.length + latest.length === 0 ? '[' : ',')
      length += appendPieces(latest, answer)
      if (length < JOINED_LENGTH) continue
      for (const piece of joinStrings(latest)) pieces.push(piece)
      latest = []
      length = 0
    }
    for (const piece of latest) pieces.push(piece)
    const [refusal] = refusals
    if (
      barrier?.allAdmitted &&
      refusal !== undefined &&
      refusals.every((one) => one?.body === refusal.body)
    ) {
      return createReply([refusal.body], refusal)
    }
    return pieces.length === 0 ? undefined : createReply([...pieces, ']'])
  }

  #answerEmptyBatch(): Reply {
    const rules = this.#rules()
    if (rules?.emptyBatch === 'empty array') return createReply(['[]'])
    return createReply([errorText('null', rules?.invalid() ?? new InvalidRequestError('empty batch'))])
  }

  /** Starts all calls of a batch before answering any: a cassette forwards them as one batch. */
  #answerTogether(
    messages: readonly Message[],
    context: RequestContext,
    barrier: AdmissionBarrier,
  ): readonly Awaitable<Outcome | undefined>[] {
    return messages.map((message) => this.#answerMessage(message, context, undefined, barrier))
  }

  /**
   * Returns the outcome of a message, or undefined if it does nothing.
   *
   * @param text - source text of the message; undefined in a batch
   */
  #answerMessage(
    message: Message,
    context: RequestContext,
    text: string | undefined,
    barrier?: AdmissionBarrier,
  ): Awaitable<Outcome | undefined> {
    const excess = refusalOfLength(message)
    if (excess !== undefined) return { ...failedOutcome(excess), isWithoutId: true }
    const rules = this.#rules()
    if (rules?.refuses(message)) return { ...failedOutcome(rules.invalid()), isWithoutId: true }
    if (isCall(message) || isNotification(message)) {
      const { method, length, idAbsent } = message
      if (idAbsent && method.endsWith('_subscription')) return undefined
      const batched = text === undefined
      const execute = (params: unknown) =>
        this.#execute({ method, params, text, batched, length, context }, barrier)
      return whenReady(paramsOf(message), execute)
    }
    if (isResponse(message)) return undefined
    const refusal = failedOutcome(rules?.invalid() ?? new InvalidRequestError())
    return rules?.rejectionCarriesId === false ? { ...refusal, isWithoutId: true } : refusal
  }

  /** Executes a call: policy, method, record. */
  #execute(call: PolicyCall, barrier?: AdmissionBarrier): Awaitable<Outcome> {
    const started = performance.now()
    const enter = (): Awaitable<CallRecord | undefined> => this.#setup.policy?.enter(call)
    return orElse(
      () =>
        whenReady(barrier === undefined ? enter() : barrier.enter(enter), (record) =>
          whenReady(this.#invoke(call, record, barrier), (outcome) => {
            const bytes = outcomeBytes(outcome)
            if (bytes > LARGE_CALL) call.context.memory?.keep(bytes)
            const cost = { bytes, milliseconds: performance.now() - started }
            record?.done?.({ error: undefined, result: undefined, ...outcome, ...cost })
            return outcome
          }),
        ),
      (refusal) => this.#failure(call, refusal),
    )
  }

  /** The only place that catches errors thrown by methods. */
  #invoke(
    call: PolicyCall,
    record: CallRecord | undefined,
    barrier: AdmissionBarrier | undefined,
  ): Awaitable<Outcome> {
    return orElse<Outcome>(
      () => whenReady(this.#resultOf(call, record, barrier), (result) => ({ result: encodeResult(result) })),
      (error) => this.#failure(call, error),
    )
  }

  #resultOf(
    call: PolicyCall,
    record: CallRecord | undefined,
    barrier: AdmissionBarrier | undefined,
  ): Awaitable<Result> {
    if (record?.answer !== undefined) return record.answer()
    const { interceptor } = this.#setup
    if (interceptor?.cassette.isActive !== true) return this.#run(call, record)
    return interceptor.answer(call, () => this.#run(call, record), barrier)
  }

  #run(call: PolicyCall, record: CallRecord | undefined): Awaitable<Result> {
    const { filters, report } = this.#setup
    const backend = withSettings(this.#setup.backend, record?.settings)
    const view = record?.view ?? backend.chain
    const { context, length } = call
    const method = this.#method(call)
    const params = argumentReaders[backend.settings.compatibility.requestChecks](call)
    return method.invoke({ view, backend, filters, context, length, report }, params)
  }

  #method({ method: name, context }: PolicyCall): Method {
    // A UTF-16 unit encodes to at most three bytes, so names of ordinary length need no count.
    if (name.length * 3 > MAX_METHOD_NAME_LENGTH && Buffer.byteLength(name) > MAX_METHOD_NAME_LENGTH) {
      throw new RpcError(
        -32600,
        `method name too long: ${Buffer.byteLength(name)} > ${MAX_METHOD_NAME_LENGTH}`,
      )
    }
    if (name.endsWith('_subscribe') && context.subscriptions === undefined) {
      throw new NotificationsUnsupportedError()
    }
    const { methods, backend } = this.#setup
    const isGeth = backend.settings.compatibility.requestChecks === 'geth'
    const method = methods.get(name) ?? (isGeth ? subscriptionMethodNamed(name, methods) : undefined)
    if (method === undefined) throw new MethodNotFoundError(name)
    return method
  }

  #failure(call: PolicyCall, thrown: unknown): Awaitable<Outcome> {
    const error = this.#toRpcError(call, thrown)
    if (error instanceof InternalError) this.#setup.report(call.method, error.cause)
    return failedOutcomeInSlices(error)
  }

  /**
   * Errors from other nodes keep their message. A fault while wording an error is answered too: the caller is waiting.
   */
  #toRpcError(call: PolicyCall, thrown: unknown): RpcError {
    if (thrown instanceof RpcError && thrown.text !== undefined) return thrown
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

/** Returns one message's part of the reply; undefined if it has none. */
function answerPieces(message: Message, outcome: Outcome | undefined): readonly WirePiece[] | undefined {
  if (outcome === undefined) return undefined
  const isWithoutId = 'error' in outcome && outcome.isWithoutId === true
  if (isNotification(message) && !isWithoutId) return undefined
  const id = (isWithoutId ? undefined : message.id) ?? 'null'
  return 'error' in outcome ? errorPieces(id, outcome) : successPieces(id, outcome.result)
}

function singleReply(message: Message, outcome: Outcome | undefined): Reply | undefined {
  const answer = answerPieces(message, outcome)
  if (answer === undefined) return undefined
  if (outcome === undefined || 'result' in outcome) return createReply(answer)
  const { refusal, status = 200 } = outcome.error
  return refusal === undefined ? createReply(answer, { status }) : createReply([refusal.body], refusal)
}
