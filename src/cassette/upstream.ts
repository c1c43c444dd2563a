import { WebSocket } from 'ws'
import { parseJsonInSteps } from '../encoding/json.js'
import { skipWhitespace } from '../encoding/jsonText.js'
import { encodeJsonInSteps } from '../encoding/jsonWriter.js'
import type { Mask } from '../encoding/maskUrl.js'
import { type Awaitable, Mutex, type Steps, TimeSlice, runWithin } from '../encoding/timeSlice.js'
import { decodeChunks } from '../rpc/envelope/decodeChunks.js'
import { arrayElements } from '../rpc/envelope/scan.js'
import { type RecordedOutcome, type RpcErrorObject, type SocketClose, textOfMember } from './entry.js'
import type { HttpAnswer, HttpClient } from './httpClient.js'

/** Response headers that clients act on; no others are kept. */
const keptHeaders = [
  'content-type',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]

/** Maximum subscriptions with notifications buffered until the answer with their id. */
const MAX_EARLY_EVENTS = 100

/** The provider does not answer at all; nothing is recorded then. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
}

/** Where calls are forwarded to. */
export interface UpstreamAddresses {
  /** JSON-RPC over HTTP. */
  url: string
  /** JSON-RPC over WebSocket; required for subscriptions. */
  webSocketUrl?: string | undefined
}

/** Call to forward. */
export interface UpstreamCall {
  method: string
  params: unknown
}

/** An answer, or a notification if `params` is present. */
interface Answer {
  id?: unknown
  resultText: string | undefined
  error?: { error: RpcErrorObject; errorText: string }
  params?: { subscription: string; resultText: string }
}

/** Notification of a subscription, or the end of the WebSocket. */
export type UpstreamEvent = { resultText: string } | { close: SocketClose }

/** Place of a call in a batch, taken before the call is known. */
export interface BatchSlot {
  /** @throws UpstreamError if the provider cannot be reached */
  send(call: UpstreamCall): Promise<RecordedOutcome>
  /** Lets the batch go without this call, unless it was already sent. */
  leave(): void
}

interface WaitingCall extends UpstreamCall {
  resolve(outcome: RecordedOutcome): void
  reject(error: unknown): void
}

/** Provider that calls are forwarded to; a batch is forwarded as one. */
export class Upstream {
  readonly #url: URL
  readonly #webSocketUrl: string | undefined
  readonly #client: HttpClient
  /** Providers repeat the requested path, which contains the key. */
  readonly #mask: Mask
  #isStopped = false
  #socket: Promise<WebSocket> | undefined
  /** Keeps messages and the end of the WebSocket in order, although long messages are parsed in slices. */
  readonly #incoming = new Mutex()
  #nextId = 1
  readonly #waiting = new Map<
    number,
    { resolve: (answer: Answer | { close: SocketClose }) => void; reject: (error: Error) => void }
  >()
  readonly #subscribers = new Map<string, (event: UpstreamEvent) => Awaitable<void>>()
  /** Notifications that arrived together with the answer to their subscription. */
  readonly #early = new Map<string, UpstreamEvent[]>()
  /** Batches still waiting for calls. */
  readonly #batches = new WeakMap<object, { slots: number; calls: WaitingCall[] }>()

  constructor(
    { url, webSocketUrl }: UpstreamAddresses,
    { client, mask }: { client: HttpClient; mask: Mask },
  ) {
    this.#url = new URL(url)
    this.#webSocketUrl = webSocketUrl
    this.#client = client
    this.#mask = mask
  }

  /**
   * Joins a batch, which is sent once every member has sent a call or left.
   *
   * @param batch - identifies the batch; undefined for a single call
   */
  join(batch: object | undefined, transport: string): BatchSlot {
    const key = batch ?? {}
    const pending = this.#batches.get(key) ?? { slots: 0, calls: [] }
    this.#batches.set(key, pending)
    pending.slots++
    let isTaken = true
    const leave = (): void => {
      if (!isTaken) return
      isTaken = false
      if (--pending.slots > 0 || pending.calls.length === 0) return
      const { calls } = pending
      const isSocket = transport === 'websocket' && this.#webSocketUrl !== undefined
      const sent = isSocket
        ? this.#exchange(calls, { isBatch: batch !== undefined }).then((answers) => answers.map(outcomeOf))
        : this.#post(calls, { isBatch: batch !== undefined })
      sent.then(
        (outcomes) => handOver(calls, outcomes),
        (error: unknown) => calls.forEach(({ reject }) => reject(error)),
      )
    }
    return {
      send: (call) =>
        new Promise((resolve, reject) => {
          pending.calls.push({ ...call, resolve, reject })
          leave()
        }),
      leave,
    }
  }

  /**
   * Calls a method over HTTP.
   *
   * @throws UpstreamError if the provider cannot be reached
   */
  call(method: string, params: unknown): Promise<RecordedOutcome> {
    return this.join(undefined, 'http').send({ method, params })
  }

  /** Posts calls together and returns their outcomes. @param isBatch - whether even a single call is sent as a batch */
  async #post(calls: readonly UpstreamCall[], { isBatch }: { isBatch: boolean }): Promise<RecordedOutcome[]> {
    const bodies = calls.map((call, id) => bodyOf(call, id))
    const body = await encodeBodies(bodies, isBatch)
    let answer: HttpAnswer
    try {
      answer = await this.#client.post(this.#url, body)
    } catch (cause) {
      throw new UpstreamError(this.#mask(`the provider does not answer: ${reasonOf(cause)}`), { cause })
    }
    const { status, headers } = answer
    const slice = new TimeSlice()
    const text = await runWithin(this.#mask.inSteps(answer.text), slice)
    const answers = await runWithin(readAnswers(text), slice)
    if (status >= 200 && status < 300 && answers !== undefined) {
      const all = Array.isArray(answers) ? answers : calls.map((_, id) => ({ ...answers, id }))
      // The first of several answers with the same id counts.
      const byId = new Map(all.toReversed().map((one) => [Number(one.id), one]))
      return calls.map((_, id) => {
        const answer = byId.get(id)
        if (answer === undefined) throw new UpstreamError('the provider did not answer a call of a batch')
        return outcomeOf(answer)
      })
    }
    const kept = keptHeaders.flatMap((name): [string, string][] => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    })
    const http = { status, headers: Object.fromEntries(kept), text }
    return calls.map(() => ({ http }))
  }

  /**
   * Subscribes.
   *
   * @param pushed - called with each event; the next one waits for its promise
   * @returns the outcome of the call, and a function that ends the subscription if there is one
   * @throws UpstreamError if there is no WebSocket or it cannot be reached
   */
  async subscribe(
    call: UpstreamCall,
    pushed: (event: UpstreamEvent) => Awaitable<void>,
  ): Promise<{ outcome: RecordedOutcome; end: () => void }> {
    if (this.#webSocketUrl === undefined) {
      throw new UpstreamError('subscriptions need --upstream-ws')
    }
    const [answer] = await this.#exchange([call])
    const outcome = outcomeOf(answer!)
    const id: unknown = 'resultText' in outcome && JSON.parse(outcome.resultText)
    if (typeof id !== 'string') return { outcome, end: () => undefined }
    this.#subscribers.set(id, pushed)
    for (const event of this.#early.get(id) ?? []) await pushed(event)
    this.#early.delete(id)
    const end = (): void => {
      if (!this.#subscribers.delete(id)) return
      const method = call.method.replace('_subscribe', '_unsubscribe')
      this.#exchange([{ method, params: [id] }]).catch(() => undefined)
    }
    return { outcome: { resultText: 'null' }, end }
  }

  /** Aborts all pending calls. */
  stop(): void {
    this.#isStopped = true
    this.#client.close()
    this.#subscribers.clear()
    void this.#socket?.then((socket) => socket.terminate()).catch(() => undefined)
  }

  async #exchange(
    calls: readonly UpstreamCall[],
    { isBatch }: { isBatch: boolean } = { isBatch: false },
  ): Promise<(Answer | { close: SocketClose })[]> {
    const bodies = calls.map((call) => bodyOf(call, this.#nextId++))
    const message = await encodeBodies(bodies, isBatch)
    const socket = await (this.#socket ??= this.#open())
    const answers = bodies.map(
      ({ id }) =>
        new Promise<Answer | { close: SocketClose }>((resolve, reject) =>
          this.#waiting.set(id, { resolve, reject }),
        ),
    )
    socket.send(message, { binary: false })
    return Promise.all(answers)
  }

  #open(): Promise<WebSocket> {
    const socket = new WebSocket(this.#webSocketUrl!)
    let problem: Error | undefined
    socket.on('message', (data: Buffer) => {
      const taken = this.#incoming.run(() => this.#receive(data))
      // What cannot be recorded ends the WebSocket, so that clients do not take the cassette for complete.
      taken.catch(() => socket.terminate())
    })
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(socket))
      socket.on('error', (error) => (problem = error))
      socket.on('close', (code, reason) => {
        const close = { code, reason: this.#mask(reason.toString('utf8')) }
        void this.#incoming.run(() => this.#closed(close))
        reject(new UpstreamError(this.#mask(`cannot open the provider's WebSocket: ${reasonOf(problem)}`)))
      })
    })
  }

  async #closed(close: SocketClose): Promise<void> {
    this.#socket = undefined
    for (const waiting of this.#waiting.values()) {
      if (this.#isStopped) waiting.reject(new UpstreamError('the recording has ended'))
      else waiting.resolve({ close })
    }
    const subscribers = [...this.#subscribers.values()]
    for (const map of [this.#waiting, this.#subscribers, this.#early]) map.clear()
    for (const pushed of subscribers) await pushed({ close })
  }

  async #receive(message: Buffer): Promise<void> {
    const slice = new TimeSlice()
    const decoded = await runWithin(decodeChunks([message]), slice)
    const text = await runWithin(this.#mask.inSteps(decoded), slice)
    const read = await runWithin(readAnswers(text), slice)
    const answers = Array.isArray(read) ? read : read === undefined ? [] : [read]
    for (const answer of answers) {
      if (answer.params !== undefined) {
        const { subscription, resultText } = answer.params
        const pushed = this.#subscribers.get(subscription)
        if (pushed !== undefined) await pushed({ resultText })
        else if (this.#early.size < MAX_EARLY_EVENTS)
          this.#early.set(subscription, [...(this.#early.get(subscription) ?? []), { resultText }])
        continue
      }
      const waiting = this.#waiting.get(Number(answer.id))
      this.#waiting.delete(Number(answer.id))
      waiting?.resolve(answer)
    }
  }
}

/** Returns the JSON-RPC object of a call. */
function bodyOf(
  { method, params }: UpstreamCall,
  id: number,
): Readonly<Record<string, unknown>> & { id: number } {
  return { jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) }
}

/** Encodes what is sent together; parameters may have megabytes. */
async function encodeBodies(bodies: readonly unknown[], isBatch: boolean): Promise<Uint8Array> {
  return runWithin(encodeJsonInSteps(isBatch ? bodies : bodies[0]), new TimeSlice())
}

/** Hands over the outcomes of a batch in order. Each is recorded at once, so that others get their turns in between. */
async function handOver(calls: readonly WaitingCall[], outcomes: readonly RecordedOutcome[]): Promise<void> {
  const slice = new TimeSlice()
  for (const [index, { resolve }] of calls.entries()) {
    resolve(outcomes[index]!)
    // Awaited even while there is time, because the receiver continues only then.
    await slice.pause()
  }
}

function outcomeOf(answer: Answer | { close: SocketClose }): RecordedOutcome {
  if ('close' in answer) return answer
  const { resultText = 'null', error } = answer
  return error ?? { resultText }
}

/** Parses one answer or a batch of them; undefined if the text is not JSON-RPC. */
function* readAnswers(text: string): Steps<Answer | Answer[] | undefined> {
  let value: unknown
  try {
    value = yield* parseJsonInSteps(text)
  } catch {
    return undefined
  }
  const start = skipWhitespace(text, 0)
  if (!Array.isArray(value)) return yield* readAnswer(value, text, start)
  const starts = yield* arrayElements(text, start)
  const answers: Answer[] = []
  for (const [index, element] of value.entries()) {
    const answer = yield* readAnswer(element, text, starts[index]!)
    if (answer !== undefined) answers.push(answer)
  }
  return answers
}

function* readAnswer(value: unknown, text: string, start: number): Steps<Answer | undefined> {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, result, error, params } = value as Readonly<Record<string, unknown>>
  const resultText = result === undefined ? undefined : yield* textOfMember(text, 'result', start)
  if (typeof params !== 'object' || params === null) {
    const errorText =
      (error ?? undefined) === undefined ? undefined : yield* textOfMember(text, 'error', start)
    return { id, resultText, ...(errorText !== undefined && { error: errorOf(error, errorText) }) }
  }
  const inner = (yield* textOfMember(text, 'params', start)) ?? '{}'
  const { subscription } = params as { subscription: string }
  return {
    resultText,
    params: { subscription, resultText: (yield* textOfMember(inner, 'result')) ?? 'null' },
  }
}

/** Returns the error of an answer. One that is not in JSON-RPC's form is wrapped as the data of one that is. */
function errorOf(error: unknown, errorText: string): NonNullable<Answer['error']> {
  const { code, message } = error as Readonly<Record<string, unknown>>
  if (typeof code === 'number' && typeof message === 'string') {
    return { error: error as RpcErrorObject, errorText }
  }
  const errorMessage = typeof error === 'string' ? error : typeof message === 'string' ? message : errorText
  const formed = { code: -32603, message: errorMessage, data: error }
  return { error: formed, errorText: JSON.stringify(formed) }
}

function reasonOf(error: unknown): string {
  // A host with several addresses has one error for each.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message : 'no reason was given'
}
