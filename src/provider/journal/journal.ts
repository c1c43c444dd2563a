import { maskUrl } from '../../encoding/maskUrl.js'
import { readBody } from '../../rpc/envelope/body.js'
import { ParseError } from '../../rpc/errors.js'
import { KeyLabels } from '../keys/keyLabels.js'

/** Told of every entry as it is made. */
export type JournalListener = (entry: JournalEntry) => void

type RecordedEntry = RecordedRequest & { id: number }

/** Characters of all answers that are kept; the oldest go first. */
const maxAnswers = 16 * 1024 * 1024

/** The last requests, in the order in which they ended. */
export class Journal {
  readonly #capacity: number
  readonly #listeners = new Set<JournalListener>()
  /** A ring: the entry of id n is at n modulo the capacity. */
  #entries: RecordedEntry[] = []
  #nextId = 1
  /** Characters of the answers that are kept, and the id before which none is. */
  #answers = 0
  #firstAnswer = 1

  /** What entries call keys. */
  readonly keyLabels = new KeyLabels()

  constructor({ capacity }: { capacity: number }) {
    this.#capacity = capacity
  }

  /** Remembers a request, in the place of the oldest one if there are too many. */
  record(request: RecordedRequest): void {
    const entry = request as RecordedEntry
    entry.id = this.#nextId++
    if (this.#capacity > 0) {
      const place = entry.id % this.#capacity
      this.#answers += (entry.answer?.length ?? 0) - (this.#entries[place]?.answer?.length ?? 0)
      this.#entries[place] = entry
      if (this.#answers > maxAnswers) this.#dropAnswers()
    }
    if (this.#listeners.size === 0) return
    const told = entryOf(entry)
    for (const listener of this.#listeners) tell(listener, told)
  }

  /** The entries that a filter looks for, oldest first; with a limit the newest of them. */
  list(filter: JournalFilter = {}, limit = Infinity): JournalEntry[] {
    const found = this.#entries
      .filter((entry) => entry !== undefined && matchesEntry(filter, entry, this.keyLabels))
      .sort((a, b) => a.id - b.id)
    return found.slice(Math.max(0, found.length - limit)).map(entryOf)
  }

  /** Id of the newest request; 0 before the first one. */
  get newestId(): number {
    return this.#nextId - 1
  }

  /** A request of an id with its answer, as far as they are kept. */
  find(id: number): (JournalEntry & { answer?: unknown }) | undefined {
    const entry = this.at(id)
    if (entry === undefined) return undefined
    const { answer } = entry
    return { ...entryOf(entry), ...(answer !== undefined && { answer: JSON.parse(answer) as unknown }) }
  }

  /** Id of the oldest request that may be remembered. */
  get oldestId(): number {
    return Math.max(1, this.#nextId - this.#capacity)
  }

  /** A request of an id; undefined if it is not remembered. */
  at(id: number): RecordedEntry | undefined {
    const entry = this.#entries[id % this.#capacity]
    return entry?.id === id ? entry : undefined
  }

  /** @returns a function that ends it */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Forgets everything; ids go on growing. */
  clear(): void {
    this.#entries = []
    this.#answers = 0
    this.#firstAnswer = this.#nextId
  }

  /**
   * The first entry that a filter looks for, of those that are there and those to come.
   *
   * @throws the signal's reason when it is aborted first.
   */
  waitFor(filter: JournalFilter, signal?: AbortSignal): Promise<JournalEntry> {
    const [found] = this.list(filter)
    if (found !== undefined) return Promise.resolve(found)
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        stop()
        reject(signal?.reason instanceof Error ? signal.reason : new Error('no such request came'))
      }
      const stop = this.listen((entry) => {
        if (!matchesEntry(filter, entry, this.keyLabels)) return
        stop()
        signal?.removeEventListener('abort', abort)
        resolve(entry)
      })
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })
  }

  /** Forgets the oldest answers until the others are few enough. */
  #dropAnswers(): void {
    this.#firstAnswer = Math.max(this.#firstAnswer, this.#nextId - this.#capacity)
    for (; this.#answers > maxAnswers && this.#firstAnswer < this.#nextId; this.#firstAnswer += 1) {
      const entry = this.#entries[this.#firstAnswer % this.#capacity]
      if (entry?.answer === undefined) continue
      this.#answers -= entry.answer.length
      delete entry.answer
    }
  }
}

/** What a listener throws is its own fault: it comes up by itself, and not in the request. */
function tell(listener: JournalListener, entry: JournalEntry): void {
  try {
    listener(entry)
  } catch (fault) {
    queueMicrotask(() => {
      throw fault
    })
  }
}

/** How a request reached the node. */
export type JournalTransport = 'http' | 'websocket' | 'upgrade' | 'ipc' | 'in-process' | 'files'

/** One request as the journal remembers it. */
export interface JournalEntry {
  /** Grows with every request. */
  id: number
  /** Milliseconds since 1970. */
  time: number
  network: string
  /** Masked; undefined where no key counted. */
  key?: string
  transport: JournalTransport
  /** The JSON-RPC method, or the operation of the file network; undefined if admission refused the request. */
  method?: string
  /** The parameters as they came; a text if they were too large to keep. */
  params?: unknown
  /** Whether the call stood in a batch. */
  batched?: boolean
  /** HTTP status. */
  status: number
  error?: { code: number; message: string }
  milliseconds: number
  credits: number
  /** Bytes of the result, of the error object or of the reply. */
  bytes: number
  /** Ids of the faults that were injected. */
  faults?: readonly string[]
  /** Who answered, where it was not this node's own chain or file network. */
  answeredBy?: 'admission' | 'policy' | 'partner'
}

/** A request as it is written down. */
export interface RecordedRequest extends Omit<JournalEntry, 'id'> {
  /**
   * The JSON text of the call, in the place of `params`, which are parsed on demand: most entries are
   * never looked at, and one text is less to keep than the values in it.
   */
  text?: string | undefined
  /** JSON text of the result, or of the error's data; undefined if it is too long to keep. */
  answer?: string | undefined
}

/** The calls that name another node, whose URL may hold a key. */
const namesNode = /_(reset|setRpcUrl)$/

/** A recorded request with its parameters, URLs of other nodes masked, and without its answer. */
export function entryOf<Recorded extends RecordedRequest>(
  recorded: Recorded,
): Omit<Recorded, 'text' | 'answer'> {
  const { text, answer: _answer, ...entry } = recorded
  const told = text === undefined ? entry : { ...entry, params: paramsIn(text) }
  return namesNode.test(entry.method ?? '') ? { ...told, params: withMaskedUrls(told.params) } : told
}

/** A text that is no JSON has none. */
function paramsIn(text: string): unknown {
  try {
    const body = readBody(text)
    return body.kind === 'single' ? keepableParams(body.message.params) : undefined
  } catch (error) {
    if (error instanceof ParseError) return undefined
    throw error
  }
}

function withMaskedUrls(value: unknown): unknown {
  if (typeof value === 'string') return maskedText(value)
  if (Array.isArray(value)) return value.map(withMaskedUrls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withMaskedUrls(inner)]))
}

/** A number of a block stays; what is no URL may be meant for one, and hold a key all the same. */
function maskedText(text: string): string {
  if (/^(0x[0-9a-f]*|\d*)$/i.test(text)) return text
  return URL.canParse(text) ? maskUrl(text) : '…'
}

/** What to look for in the journal; everything given must fit. */
export interface JournalFilter {
  network?: string | undefined
  /** The whole key, or what entries call it. */
  key?: string | undefined
  transport?: JournalTransport | undefined
  /** A method or operation; `*` at the end stands for anything. */
  method?: string | undefined
  status?: number | undefined
  /** Whether the request failed. */
  failed?: boolean | undefined
  /** Only entries with a greater id. */
  after?: number | undefined
}

/** Whether a name is what a pattern means: the same, or with `*` at its end the beginning. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name
}

/** Whether an entry is one that a filter looks for. */
export function matchesEntry(filter: JournalFilter, entry: JournalEntry, keyLabels: KeyLabels): boolean {
  const { network, key, transport, method, status, failed, after } = filter
  if (network !== undefined && entry.network !== network) return false
  if (key !== undefined && !keyLabels.matches(entry.key, key)) return false
  if (transport !== undefined && entry.transport !== transport) return false
  if (method !== undefined && !matchesName(method, entry.method ?? '')) return false
  if (status !== undefined && entry.status !== status) return false
  if (failed !== undefined && failed !== (entry.error !== undefined || entry.status >= 400)) return false
  return after === undefined || entry.id > after
}

/** Characters of parameters that an entry keeps. */
const maxCharacters = 16_384

/** Bytes of an answer that an entry keeps. */
export const maxAnswer = 16_384

/** Characters of a name or a message that an entry keeps; those of no method are longer. */
const maxText = 1024

/** Values inside parameters that are looked at. */
const maxValues = 256

/** The word about parameters that the journal does not keep. */
export const tooLarge = '(too large for the journal)'

/** Parameters as the journal keeps them: as they came, or a word about their size. */
export function keepableParams(params: unknown): unknown {
  return isSmall(params) ? params : tooLarge
}

/** A name or a message as the journal keeps it: what a caller made too long is cut. */
export function cutText(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)}…`
}

function isSmall(params: unknown): boolean {
  const waiting: unknown[] = [params]
  let characters = 0
  for (let values = 0; waiting.length > 0; values += 1) {
    if (values > maxValues || waiting.length > maxValues) return false
    const value = waiting.pop()
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'object' && value !== null) {
      const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
      if (!Array.isArray(value)) for (const name of Object.keys(value)) characters += name.length
      if (inner.length > maxValues) return false
      waiting.push(...inner)
    }
    if (characters > maxCharacters) return false
  }
  return true
}

/** Whether a text is short enough to be kept in the place of the parameters that are read from it. */
export function isKeepableText(text: string): boolean {
  return text.length <= maxCharacters
}
