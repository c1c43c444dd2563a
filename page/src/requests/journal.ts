import { batch, signal } from '@preact/signals'
import type { Query } from '../api/control.js'
import { get } from '../api/control.js'
import { beginRead, takeRead } from '../api/firstReads.js'
import { messageOf } from '../api/http.js'

/** A request in the list, with truncated parameters. */
export interface RequestSummary {
  id: number
  time: number
  network: string
  key?: string
  transport: string
  method?: string
  preview?: string
  batched?: boolean
  status: number
  error?: { code: number; message: string }
  milliseconds: number
  credits: number
  bytes: number
  faults?: string[]
  answeredBy?: string
}

/** A request with all details. */
export interface RequestDetail extends Omit<RequestSummary, 'preview'> {
  params?: unknown
  /** The result or error data; undefined if the journal no longer has it. */
  answer?: unknown
}

/** Rows per page. */
const pageSize = 200

/** Rows per read of new requests: more than a screen shows. */
export const newestSize = 100

/** Maximum number of rows to keep; filters find older ones. */
const maxRows = 20_000

/** Starts reading the first rows of a filter. */
export function beginRows(filter: Query): void {
  beginRead(firstPageOf(filter), () => readPage(filter))
}

function firstPageOf(filter: Query): string {
  return `requests ${JSON.stringify(filter)}`
}

async function readPage(query: Query, limit = pageSize): Promise<RequestSummary[]> {
  return (await get<RequestSummary[]>('/requests', { ...query, limit, summary: true })).reverse()
}

/** The newest requests that match a filter, newest first. Grows at both ends. */
export class JournalWindow {
  readonly rows = signal<readonly RequestSummary[]>([])
  /** Whether there are no older requests. */
  readonly isComplete = signal(false)
  /** Number of new requests while the window is on hold. */
  readonly waiting = signal(0)
  readonly error = signal<string | undefined>(undefined)
  readonly isLoaded = signal(false)
  #filter: Query = {}
  #generation = 0
  #isReadingOlder = false
  #isReadingNewer = false

  /** Shows the requests that match a filter. */
  async show(filter: Query): Promise<void> {
    this.#filter = filter
    const generation = ++this.#generation
    await this.#attempt(async () => {
      const rows = await takeRead(firstPageOf(filter), () => readPage(filter))
      if (generation !== this.#generation) return
      batch(() => {
        this.rows.value = rows
        this.isComplete.value = rows.length < pageSize
        this.waiting.value = 0
        this.isLoaded.value = true
      })
    })
  }

  /** Reads new requests. @param hold - only count them, so that rows stay in place */
  async readNewer({ hold }: { hold: boolean }): Promise<void> {
    if (this.#isReadingNewer) return
    this.#isReadingNewer = true
    const generation = this.#generation
    await this.#attempt(async () => {
      const after = this.rows.value[0]?.id ?? 0
      const rows = await readPage({ ...this.#filter, after }, newestSize)
      if (generation !== this.#generation) return
      if (hold) this.waiting.value = rows.length
      else if (rows.length > 0) {
        // A full page may leave a gap, which is read when it is scrolled to.
        const isGap = rows.length === newestSize
        batch(() => {
          this.rows.value = isGap ? rows : [...rows, ...this.rows.value].slice(0, maxRows)
          if (isGap) this.isComplete.value = false
          this.waiting.value = 0
        })
      }
    })
    this.#isReadingNewer = false
  }

  /** Reads the next older page. */
  async readOlder(): Promise<void> {
    const oldest = this.rows.value.at(-1)
    if (this.#isReadingOlder || this.isComplete.value || oldest === undefined) return
    if (this.rows.value.length >= maxRows) return
    this.#isReadingOlder = true
    const generation = this.#generation
    await this.#attempt(async () => {
      const rows = await readPage({ ...this.#filter, before: oldest.id })
      if (generation !== this.#generation) return
      batch(() => {
        this.rows.value = [...this.rows.value, ...rows]
        this.isComplete.value = rows.length < pageSize
      })
    })
    this.#isReadingOlder = false
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.error.value = undefined
    } catch (error) {
      this.error.value = messageOf(error)
    }
  }
}
