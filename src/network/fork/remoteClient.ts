import { StringDecoder } from 'node:string_decoder'
import { setImmediate } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorText } from '../../encoding/errorText.js'
import { JsonLimitError, callLimits, parseJsonInSteps } from '../../encoding/json.js'
import { TextPieces } from '../../encoding/jsonText.js'
import { encodeJsonInSteps } from '../../encoding/jsonWriter.js'
import { maskUrl, createMask } from '../../encoding/maskUrl.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { scanStructure } from '../../rpc/envelope/scan.js'

/** Options of a remote client. */
export interface RemoteClientOptions {
  url: string
  /** Headers of each request. */
  headers?: Readonly<Record<string, string>>
  /** Maximum number of retries. */
  retries: number
  /** Timeout of one HTTP request in milliseconds. */
  timeout: number
  /** Delay before the first retry in milliseconds; it doubles with each further one. */
  backoff?: number
  /** Intercepts reads. */
  reads?: RemoteReads | undefined
}

/** A remote's answer to a call. */
export type RemoteOutcome = { result: unknown } | { error: { code: number; message: string; data?: unknown } }

/** Records reads of a remote or answers in its place, as a cassette does. */
export interface RemoteReads {
  /** Whether reads are intercepted. */
  readonly isActive: boolean
  /**
   * Answers a read.
   *
   * @param ask - calls the remote
   * @throws Error if there is no answer
   */
  read(method: string, params: readonly unknown[], ask: () => Promise<RemoteOutcome>): Promise<RemoteOutcome>
}

interface QueuedRequest {
  method: string
  params: readonly unknown[]
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

interface Answer {
  id?: unknown
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

/** Maximum number of calls per HTTP request. */
const MAX_BATCH = 100

/** Maximum length of an answer in bytes. */
const MAX_ANSWER = 64 * 1024 * 1024
/** A string of an answer is joined in one step. */
const answerLimits = { ...callLimits, characters: 32 * 1024 * 1024 }
/** Characters of a refusal that secrets are searched in; its start is shown. */
const MAX_MASKED = 64 * 1024
/** Maximum bytes of results that are one value. */
const longestBytes: Readonly<Record<string, number>> = {
  eth_getBalance: 32,
  eth_getTransactionCount: 32,
  eth_getStorageAt: 32,
  eth_getCode: 1024 * 1024,
}

/** Error codes for rate limits: HTTP 429 as a code, and those of geth and providers. */
const limitCodes: ReadonlySet<number> = new Set([429, -32005, -32016, -32097])

const FIRST_BACKOFF = 250

/** Maximum characters of a remote's error message. */
const MAX_MESSAGE_LENGTH = 64 * 1024

/** Client of a remote node. Calls made in one turn of the event loop are batched, and failed ones are retried. */
export class RemoteClient {
  #options: RemoteClientOptions
  readonly #stopped = new AbortController()
  #waiting: QueuedRequest[] = []
  /** Some nodes do not support batches. */
  #takesBatches = true

  constructor(options: RemoteClientOptions) {
    this.#options = options
  }

  get url(): string {
    return this.#options.url
  }

  /** The URL for display, without secrets. */
  get shownUrl(): string {
    return maskUrl(this.#options.url)
  }

  /**
   * Calls a method.
   *
   * @throws RemoteRpcError if the remote answers with an error, ForkError if it does not answer
   */
  request(method: string, params: readonly unknown[]): Promise<unknown> {
    const { reads } = this.#options
    return reads?.isActive === true ? this.#requestThrough(reads, method, params) : this.#ask(method, params)
  }

  async #requestThrough(reads: RemoteReads, method: string, params: readonly unknown[]): Promise<unknown> {
    const ask = async (): Promise<RemoteOutcome> => {
      try {
        return { result: await this.#ask(method, params) }
      } catch (error) {
        if (!(error instanceof RemoteRpcError)) throw error
        const { code, message, data } = error
        return { error: { code, message, data } }
      }
    }
    let outcome: RemoteOutcome
    try {
      outcome = await reads.read(method, params, ask)
    } catch (error) {
      throw error instanceof ForkError ? error : new ForkError(errorText(error))
    }
    if ('error' in outcome) throw new RemoteRpcError(outcome.error)
    return outcome.result
  }

  #ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush())
      this.#waiting.push({ method, params, resolve, reject })
    })
  }

  /**
   * Switches to another node, if it has a given block of this one.
   *
   * @throws ForkError if it does not answer or lacks the block
   */
  async redirect(url: string, { number, hash }: { number: string; hash: string }): Promise<void> {
    const options = { ...this.#options, url, headers: this.#headersFor(url) }
    const other = new RemoteClient(options)
    const stop = (): void => other.stop()
    this.#stopped.signal.addEventListener('abort', stop)
    try {
      const block = (await other.request('eth_getBlockByNumber', [number, false])) as { hash: string } | null
      if (block?.hash !== hash) throw new ForkError(`${other.shownUrl} does not have the block of the fork`)
    } finally {
      this.#stopped.signal.removeEventListener('abort', stop)
      other.stop()
    }
    this.#options = options
  }

  /** Headers may contain secrets, so another host does not get them. */
  #headersFor(url: string): Readonly<Record<string, string>> {
    const isSame = URL.canParse(url) && new URL(url).origin === new URL(this.#options.url).origin
    return isSame ? (this.#options.headers ?? {}) : {}
  }

  /** Aborts all requests in progress. */
  stop(): void {
    this.#stopped.abort()
  }

  #flush(): void {
    const calls = this.#waiting
    this.#waiting = []
    const size = this.#takesBatches ? MAX_BATCH : 1
    for (let start = 0; start < calls.length; start += size) void this.#send(calls.slice(start, start + size))
  }

  async #send(calls: readonly QueuedRequest[], attempt = 0): Promise<void> {
    try {
      const answers = await this.#exchange(calls)
      if (answers === 'no batches') {
        this.#takesBatches = false
        await Promise.all(calls.map((call) => this.#send([call], attempt)))
        return
      }
      const limited = calls.filter(
        (call, index) => !this.#settle(call, answers.get(index), this.#mayRetry(attempt)),
      )
      if (limited.length > 0) await this.#resend(limited, attempt)
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      if (this.#mayRetry(attempt) && !(failure instanceof ForkError)) return this.#resend(calls, attempt)
      const reason = failure instanceof ForkError ? failure : this.#failure(failure)
      for (const call of calls) call.reject(reason)
    }
  }

  async #resend(calls: readonly QueuedRequest[], attempt: number): Promise<void> {
    const { backoff = FIRST_BACKOFF } = this.#options
    try {
      await sleep(backoff * 2 ** attempt, undefined, { signal: this.#stopped.signal })
    } catch {
      const stopped = new ForkError('the node is stopping')
      for (const call of calls) call.reject(stopped)
      return
    }
    await this.#send(calls, attempt + 1)
  }

  #mayRetry(attempt: number): boolean {
    return attempt < this.#options.retries && !this.#stopped.signal.aborted
  }

  /** @returns the answers by index of their call. @throws Error if a retry may help */
  async #exchange(calls: readonly QueuedRequest[]): Promise<ReadonlyMap<number, Answer> | 'no batches'> {
    const messages = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const body = await runInSlices(
      encodeJsonInSteps(calls.length === 1 ? messages[0] : messages),
      new TimeSlice(),
    )
    const { target, authorization } = withoutCredentials(this.#options.url)
    const response = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization, ...this.#options.headers },
      body,
      signal: AbortSignal.any([AbortSignal.timeout(this.#options.timeout), this.#stopped.signal]),
    })
    const text = await this.#readText(response)
    if (response.status === 401 || response.status === 403) {
      const message = this.#masked(text.slice(0, MAX_MASKED)).slice(0, 200)
      throw new ForkError(`${this.shownUrl} refuses: HTTP ${response.status} ${message}`.trim())
    }
    const answer = await runInSlices(this.#parseAnswer(text), new TimeSlice())
    if (Array.isArray(answer)) {
      if (answer.length > calls.length) {
        throw new ForkError(`${this.shownUrl} answers ${calls.length} calls ${answer.length} times`)
      }
      return new Map((answer as Answer[]).map((entry) => [Number(entry.id), entry]))
    }
    if (answer === undefined || response.status === 429 || response.status >= 500) {
      throw new Error(`HTTP ${response.status}`)
    }
    return calls.length > 1 ? 'no batches' : new Map([[0, answer]])
  }

  /** @throws ForkError if the answer is too long */
  async #readText({ body }: Response): Promise<TextPieces> {
    const text = new TextPieces()
    const decoder = new StringDecoder('utf8')
    const slice = new TimeSlice()
    let length = 0
    for await (const chunk of body ?? []) {
      length += chunk.length
      if (length > MAX_ANSWER)
        throw new ForkError(`${this.shownUrl} answers with more than ${MAX_ANSWER} bytes`)
      text.push(decoder.write(chunk))
      // fetch hands over what has arrived without letting others in.
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
    text.push(decoder.end())
    return text
  }

  /** @returns undefined if the text is not JSON of an array or object @throws ForkError if it exceeds a limit */
  *#parseAnswer(text: TextPieces): Steps<object | undefined> {
    try {
      const { isTooDeep } = yield* scanStructure(text)
      if (isTooDeep) return undefined
      const value = yield* parseJsonInSteps(text, { limits: answerLimits })
      return typeof value === 'object' && value !== null ? value : undefined
    } catch (error) {
      if (!(error instanceof JsonLimitError)) return undefined
      throw new ForkError(`${this.shownUrl} answers with too much: ${error.message}`)
    }
  }

  /** @returns false if the call was rate-limited or left out, and may be retried */
  #settle(call: QueuedRequest, answer: Answer | undefined, mayRetry: boolean): boolean {
    if (answer === undefined) {
      if (mayRetry) return false
      call.reject(new ForkError(`the remote did not answer ${call.method}`))
    } else if (answer.error === undefined) {
      const fault = faultOf(call.method, answer.result)
      if (fault === undefined) call.resolve(answer.result)
      else call.reject(new ForkError(`${this.shownUrl} ${fault}`))
    } else if (mayRetry && limitCodes.has(answer.error.code)) return false
    else {
      const { message } = answer.error
      call.reject(new RemoteRpcError({ ...answer.error, message: this.#masked(String(message)) }))
    }
    return true
  }

  #failure(error: Error): ForkError {
    const { cause } = error
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : error.message
    return new ForkError(`${this.shownUrl} does not answer: ${this.#masked(reason)}`)
  }

  /** Masks the URL in a text, because remotes and proxies may repeat the request path. Cuts off a very long text. */
  #masked(message: string): string {
    const { url } = this.#options
    const mask = createMask([url])
    if (message.length <= MAX_MESSAGE_LENGTH) return mask(message)
    // Without what may be the start of a URL.
    return mask(message.slice(0, MAX_MESSAGE_LENGTH)).slice(0, -url.length)
  }
}

/** Moves credentials from a URL to a header, as fetch rejects URLs that contain them (Fetch standard). */
function withoutCredentials(url: string): { target: URL; authorization: Record<string, string> } {
  const target = new URL(url)
  const { username, password } = target
  if (username === '' && password === '') return { target, authorization: {} }
  target.username = ''
  target.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { target, authorization: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } }
}

/** Returns what is wrong with a result that has to be hexadecimal; undefined if nothing is. */
function faultOf(method: string, result: unknown): string | undefined {
  const most = longestBytes[method]
  if (most === undefined) return undefined
  const isHex = typeof result === 'string' && result.length <= 2 + 2 * most && /^0x[\da-f]*$/i.test(result)
  return isHex ? undefined : `does not answer ${method} with at most ${most} bytes in hexadecimal`
}

/** The remote node of a fork cannot be used; the message explains why, without secrets. */
export class ForkError extends Error {
  override readonly name = 'ForkError'
}

/** An error answered by the remote node. */
class RemoteRpcError extends Error {
  override readonly name = 'RemoteRpcError'
  readonly code: number
  readonly data: unknown
  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}
