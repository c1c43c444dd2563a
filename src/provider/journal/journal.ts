import { maskUrl } from '../../encoding/maskUrl.js'
import { readBody } from '../../rpc/envelope/body.js'
import { ParseError } from '../../rpc/errors.js'

/** Receives each entry as it is made. */
export type JournalListener = (entry: JournalEntry) => void

type RecordedEntry = RecordedRequest & { id: number }

/** Maximum characters of all stored answers; the oldest are dropped first. */
const MAX_ANSWERS = 16 * 1024 * 1024

/** The most recent requests, in order of completion. */
export class Journal {
  readonly #capacity: number
  readonly #listeners = new Set<JournalListener>()
  /** Ring buffer: the entry with id n is at n modulo the capacity. */
  #entries: RecordedEntry[] = []
  #nextId = 1
  /** Characters of the stored answers, and the id before which none is stored. */
  #answers = 0
  #firstAnswer = 1

  /** Names of keys in entries. */
  readonly keyLabels = new KeyLabels()

  constructor({ capacity }: { capacity: number }) {
    this.#capacity = capacity
  }

  /** Records a request, replacing the oldest one when full. */
  record(request: RecordedRequest): void {
    const entry = request as RecordedEntry
    entry.id = this.#nextId++
    if (this.#capacity > 0) {
      const slot = entry.id % this.#capacity
      this.#answers += (entry.answer?.length ?? 0) - (this.#entries[slot]?.answer?.length ?? 0)
      this.#entries[slot] = entry
      if (this.#answers > MAX_ANSWERS) this.#dropAnswers()
    }
    if (this.#listeners.size === 0) return
    const published = entryOf(entry)
    for (const listener of this.#listeners) tell(listener, published)
  }

  /** Lists the entries that match a filter, oldest first; with a limit, the newest of them. */
  list(filter: JournalFilter = {}, limit = Infinity): JournalEntry[] {
    const found = this.#matching(filter)
    return found.slice(Math.max(0, found.length - limit)).map(entryOf)
  }

  /** Returns the entries that match a filter, oldest first. */
  #matching(filter: JournalFilter): RecordedEntry[] {
    return this.#entries
      .filter((entry) => entry !== undefined && matchesEntry(filter, entry, this.keyLabels))
      .sort((a, b) => a.id - b.id)
  }

  /** Id of the newest request; 0 before the first one. */
  get newestId(): number {
    return this.#nextId - 1
  }

  /** Returns a request by id with its answer, if still stored. */
  find(id: number): (JournalEntry & { answer?: unknown }) | undefined {
    const entry = this.at(id)
    if (entry === undefined) return undefined
    const { answer } = entry
    return { ...entryOf(entry), ...(answer !== undefined && { answer: JSON.parse(answer) as unknown }) }
  }

  /** Id of the oldest request that may still be stored. */
  get oldestId(): number {
    return Math.max(1, this.#nextId - this.#capacity)
  }

  /** Returns a request by id; undefined if no longer stored. */
  at(id: number): RecordedEntry | undefined {
    const entry = this.#entries[id % this.#capacity]
    return entry?.id === id ? entry : undefined
  }

  /** @returns a function that removes the listener */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Removes all entries; ids continue to increase. */
  clear(): void {
    this.#entries = []
    this.#answers = 0
    this.#firstAnswer = this.#nextId
  }

  /**
   * Waits for the first entry that matches a filter, past or future.
   *
   * @throws the signal's reason if it is aborted first
   */
  waitFor(filter: JournalFilter, signal?: AbortSignal): Promise<JournalEntry> {
    const [found] = this.#matching(filter)
    if (found !== undefined) return Promise.resolve(entryOf(found))
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        stop()
        reject(signal?.reason instanceof Error ? signal.reason : new Error('no such request arrived'))
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

  /** Drops the oldest answers until the rest fit. */
  #dropAnswers(): void {
    this.#firstAnswer = Math.max(this.#firstAnswer, this.#nextId - this.#capacity)
    for (; this.#answers > MAX_ANSWERS && this.#firstAnswer < this.#nextId; this.#firstAnswer += 1) {
      const entry = this.#entries[this.#firstAnswer % this.#capacity]
      if (entry?.answer === undefined) continue
      this.#answers -= entry.answer.length
      delete entry.answer
    }
  }
}

/** Calls a listener. What it throws is rethrown asynchronously, outside of the request. */
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

/** One request in the journal. */
export interface JournalEntry {
  /** Increases with every request. */
  id: number
  /** Milliseconds since 1970. */
  time: number
  network: string
  /** Masked; undefined if no key applied. */
  key?: string
  transport: JournalTransport
  /** The JSON-RPC method or file operation; undefined if admission refused the request. */
  method?: string
  /** Undecoded parameters, or a text if they were too large to store. */
  params?: unknown
  /** Whether the call was part of a batch. */
  batched?: boolean
  /** HTTP status. */
  status: number
  error?: { code: number; message: string }
  milliseconds: number
  credits: number
  /** Bytes of the result, error object or reply. */
  bytes: number
  /** Ids of the injected faults. */
  faults?: readonly string[]
  /** Who answered, if not this node's own chain or file network. */
  answeredBy?: 'admission' | 'policy' | 'partner'
}

/** A request as recorded. */
export interface RecordedRequest extends Omit<JournalEntry, 'id'> {
  /**
   * JSON text of the call, stored instead of `params`, which are parsed on demand: most entries are never read, and one
   * text takes less memory than its values.
   */
  text?: string | undefined
  /** JSON text of the result or of the error's data; undefined if too long to store. */
  answer?: string | undefined
}

/** Calls with the URL of another node, which may contain a key. */
const namesNode = /_(reset|setRpcUrl)$/

/**
 * Converts a recorded request to an entry, with its parameters but without its answer. URLs of other nodes are masked.
 */
export function entryOf<Recorded extends RecordedRequest>(
  recorded: Recorded,
): Omit<Recorded, 'text' | 'answer'> {
  const { text, answer: _answer, ...entry } = recorded
  const parsed = text === undefined ? entry : { ...entry, params: paramsIn(text) }
  return namesNode.test(entry.method ?? '') ? { ...parsed, params: withMaskedUrls(parsed.params) } : parsed
}

/** Parses the parameters of a call; undefined if it is not JSON. */
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

/** Masks a text unless it is a block number; even an invalid URL may contain a key. */
function maskedText(text: string): string {
  if (/^(0x[0-9a-f]*|\d*)$/i.test(text)) return text
  return URL.canParse(text) ? maskUrl(text) : '…'
}

/** Filter of journal entries; all given members must match. */
export interface JournalFilter {
  network?: string | undefined
  /** The whole key, or its label. */
  key?: string | undefined
  transport?: JournalTransport | undefined
  /** A method or operation; a trailing `*` matches anything. */
  method?: string | undefined
  status?: number | undefined
  /** Whether the request failed. */
  failed?: boolean | undefined
  /** Only entries with a greater id. */
  after?: number | undefined
}

/** Whether a name matches a pattern: exactly, or by prefix if it ends in `*`. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name
}

/** Whether an entry matches a filter. */
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

/** Maximum characters of stored parameters. */
const MAX_CHARACTERS = 16_384

/** Maximum bytes of a stored answer. */
export const MAX_ANSWER = 16_384

/** Maximum characters of a stored name or message; method names are shorter. */
const MAX_TEXT = 1024

/** Maximum number of values inside stored parameters. */
const MAX_VALUES = 256

/** Placeholder for parameters that are not stored. */
export const tooLarge = '(too large for the journal)'

/** Returns parameters as the journal stores them: unchanged, or a placeholder if too large. */
export function keepableParams(params: unknown): unknown {
  return isSmall(params) ? params : tooLarge
}

/** Truncates a name or message for the journal if a caller has made it too long. */
export function cutText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`
}

function isSmall(params: unknown): boolean {
  const waiting: unknown[] = [params]
  let characters = 0
  for (let values = 0; waiting.length > 0; values += 1) {
    if (values > MAX_VALUES || waiting.length > MAX_VALUES) return false
    const value = waiting.pop()
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'object' && value !== null) {
      const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
      if (!Array.isArray(value)) for (const name of Object.keys(value)) characters += name.length
      if (inner.length > MAX_VALUES) return false
      waiting.push(...inner)
    }
    if (characters > MAX_CHARACTERS) return false
  }
  return true
}

/** Whether a text is short enough to be stored instead of its parameters. */
export function isKeepableText(text: string): boolean {
  return text.length <= MAX_CHARACTERS
}

/** Masks a key for logs and the journal, leaving its first and last characters. */
export function maskKey(key: string): string {
  return key.length <= 8 ? '*'.repeat(key.length) : `${key.slice(0, 4)}…${key.slice(-2)}`
}

/** Maximum number of distinct labels, and of the characters of their keys; other keys may share one. */
const MAX_LABELS = 10_000
const MAX_KEY_LENGTH = 512

/** Labels keys without revealing them: by masked form, numbered if two keys share it. */
export class KeyLabels {
  readonly #labels = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  /** Returns the label of a key, which is stable from its first use on. */
  of(key: string): string {
    const known = this.#labels.get(key)
    if (known !== undefined) return known
    const masked = maskKey(key)
    if (this.#labels.size >= MAX_LABELS || key.length > MAX_KEY_LENGTH) return masked
    const count = (this.#counts.get(masked) ?? 0) + 1
    this.#counts.set(masked, count)
    const label = count === 1 ? masked : `${masked} (${count})`
    this.#labels.set(key, label)
    return label
  }

  /** Whether a label is that of a key, or equals the given label. */
  matches(label: string | undefined, keyOrLabel: string): boolean {
    return label !== undefined && (label === keyOrLabel || label === this.#labels.get(keyOrLabel))
  }
}
