import { WebSocket, type RawData } from 'ws'
import { maskUrlIn } from '../encoding/maskUrl.js'
import type { RecordedOutcome } from './entry.js'

/** Headers of an answer that clients act on; no other is kept. */
const keptHeaders = [
  'content-type',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]

/** Subscriptions whose notifications wait for the answer with their id. */
const MOST_EARLY = 100

/** The provider does not answer at all; nothing is recorded then. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
}

/** Where calls are passed on to. */
export interface UpstreamAddresses {
  /** JSON-RPC over HTTP. */
  url: string
  /** JSON-RPC over WebSocket; subscriptions need it. */
  webSocketUrl?: string | undefined
}

interface Answer {
  id?: unknown
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
  params?: { subscription: string; result: unknown }
}

/** A provider that calls are passed on to, each by itself. */
export class Upstream {
  readonly #addresses: UpstreamAddresses
  readonly #stopped = new AbortController()
  #socket: Promise<WebSocket> | undefined
  #nextId = 1
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  readonly #subscribers = new Map<string, (result: unknown) => void>()
  /** Notifications that came together with the answer to their subscription. */
  readonly #early = new Map<string, unknown[]>()

  constructor(addresses: UpstreamAddresses) {
    this.#addresses = addresses
  }

  /**
   * Calls a method over HTTP.
   *
   * @throws UpstreamError if the provider cannot be reached
   */
  async call(method: string, params: unknown): Promise<RecordedOutcome> {
    const { url } = this.#addresses
    const target = new URL(url)
    const { username, password } = target
    target.username = target.password = ''
    const authorization: Record<string, string> =
      username + password === ''
        ? {}
        : {
            authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
          }
    let response: Response
    let text: string
    try {
      response = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: this.#stopped.signal,
      })
      text = await response.text()
    } catch (cause) {
      throw new UpstreamError(this.#masked(`the provider does not answer: ${reasonOf(cause)}`), { cause })
    }
    const answer = parseAnswer(text)
    if (response.ok && answer !== undefined) return this.#outcomeOf(answer)
    const headers = keptHeaders.flatMap((name): [string, string][] => {
      const value = response.headers.get(name)
      return value === null ? [] : [[name, value]]
    })
    return {
      http: { status: response.status, headers: Object.fromEntries(headers), text: this.#masked(text) },
    }
  }

  /**
   * Calls a method over the WebSocket, where there is one.
   *
   * @throws UpstreamError if the provider cannot be reached
   */
  async callOverSocket(method: string, params: unknown): Promise<RecordedOutcome> {
    if (this.#addresses.webSocketUrl === undefined) return this.call(method, params)
    return this.#outcomeOf(await this.#exchange(method, params))
  }

  /**
   * Subscribes.
   *
   * @param pushed - told of each notification
   * @returns how the call ended, and for a subscription a function that ends it
   * @throws UpstreamError if there is no WebSocket or it cannot be reached
   */
  async subscribe(
    method: string,
    params: unknown,
    pushed: (result: unknown) => void,
  ): Promise<{ outcome: RecordedOutcome; end: () => void }> {
    if (this.#addresses.webSocketUrl === undefined) {
      throw new UpstreamError('subscriptions need --upstream-ws')
    }
    const answer = await this.#exchange(method, params)
    const { result: id } = answer
    if (typeof id !== 'string') return { outcome: this.#outcomeOf(answer), end: () => undefined }
    this.#subscribers.set(id, pushed)
    for (const result of this.#early.get(id) ?? []) pushed(result)
    this.#early.delete(id)
    const end = (): void => {
      this.#subscribers.delete(id)
      this.#exchange(method.replace('_subscribe', '_unsubscribe'), [id]).catch(() => undefined)
    }
    return { outcome: { result: null }, end }
  }

  /** Ends every call that is under way. */
  stop(): void {
    this.#stopped.abort()
    void this.#socket?.then((socket) => socket.terminate()).catch(() => undefined)
  }

  async #exchange(method: string, params: unknown): Promise<Answer> {
    const socket = await (this.#socket ??= this.#open())
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  #open(): Promise<WebSocket> {
    const socket = new WebSocket(this.#addresses.webSocketUrl!)
    socket.on('message', (data) => this.#receive(data))
    const gone = (error?: Error): void => {
      this.#socket = undefined
      const failure = new UpstreamError(this.#masked(`the provider's WebSocket closed: ${reasonOf(error)}`))
      for (const { reject } of this.#waiting.values()) reject(failure)
      this.#waiting.clear()
      this.#subscribers.clear()
      this.#early.clear()
    }
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(socket))
      socket.on('error', (error) => {
        gone(error)
        reject(
          new UpstreamError(this.#masked(`the provider's WebSocket cannot be opened: ${reasonOf(error)}`)),
        )
      })
      socket.on('close', () => gone())
    })
  }

  #receive(data: RawData): void {
    const answer = parseAnswer((data as Buffer).toString('utf8'))
    if (answer === undefined) return
    if (answer.params !== undefined) {
      const { subscription, result } = answer.params
      const pushed = this.#subscribers.get(subscription)
      if (pushed !== undefined) pushed(result)
      else if (this.#early.size < MOST_EARLY)
        this.#early.set(subscription, [...(this.#early.get(subscription) ?? []), result])
      return
    }
    const waiting = this.#waiting.get(Number(answer.id))
    this.#waiting.delete(Number(answer.id))
    waiting?.resolve(answer)
  }

  #outcomeOf({ result, error }: Answer): RecordedOutcome {
    if (error === undefined) return { result: result ?? null }
    return { error: { ...error, message: this.#masked(String(error.message)) } }
  }

  /** Providers repeat the path that they were asked for, which has the key in it. */
  #masked(text: string): string {
    const { url, webSocketUrl } = this.#addresses
    const masked = maskUrlIn(text, url)
    return webSocketUrl === undefined ? masked : maskUrlIn(masked, webSocketUrl)
  }
}

function parseAnswer(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason was given'
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}
