import { setImmediate } from 'node:timers'

// The imported function keeps working when a test replaces the global timers.

/** Time that all work together may occupy the event loop before it serves connections again. */
const TURN_MILLISECONDS = 5
/** After this many turns, work queues behind work that has had fewer. */
const SHORT_WORK_TURNS = 4

/** When work began in this turn of the event loop; undefined until the clock is read. */
let turnStart: number | undefined
let isTurnPlanned = false

/** Work waiting for a turn, and work that has already had many turns. The two queues alternate. */
const shortWork: (() => void)[] = []
const longWork: (() => void)[] = []
let isLongWorkNext = false

function planTurn(): void {
  if (isTurnPlanned) return
  isTurnPlanned = true
  setImmediate(takeTurn)
}

/** Runs deferred work and resumes one waiter. Input is read after each, however many wait. */
function takeTurn(): void {
  isTurnPlanned = false
  turnStart = undefined
  runDeferred()
  const queue = longWork.length > 0 && (isLongWorkNext || shortWork.length === 0) ? longWork : shortWork
  isLongWorkNext = queue === shortWork
  const proceed = queue.shift()
  if (shortWork.length + longWork.length > 0) planTurn()
  if (proceed === undefined) return
  beginTurn()
  proceed()
}

function beginTurn(): void {
  if (turnStart !== undefined) return
  turnStart = performance.now()
  planTurn()
}

/**
 * Splits long work into slices so that other requests are served in between. All work shares the time of one turn of
 * the event loop: a hundred long requests delay the others no more than one does.
 */
export class TimeSlice {
  #turns = 0
  readonly #signal: AbortSignal | undefined

  /** @param signal - ends the work when it is aborted */
  constructor(signal?: AbortSignal) {
    this.#signal = signal
    beginTurn()
  }

  /**
   * Returns a promise to await once the time of this turn is used up, otherwise undefined. It rejects with the signal's
   * reason if that was aborted.
   */
  pause(): Promise<void> | undefined {
    beginTurn()
    if (performance.now() - (turnStart ?? 0) < TURN_MILLISECONDS) return undefined
    const queue = this.#turns++ < SHORT_WORK_TURNS ? shortWork : longWork
    const signal = this.#signal
    return new Promise((resolve, reject) => {
      queue.push(signal === undefined ? resolve : () => (signal.aborted ? reject(signal.reason) : resolve()))
      planTurn()
    })
  }
}

/** A value, or a promise of one. Answers from memory then cost no promise. */
export type Awaitable<T> = T | Promise<T>

/** Applies `use` to a value, at once if it is available. */
export function whenReady<T, R>(value: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}

/** Returns the result of `work`, or of `instead` if it fails; at once if nothing is awaited. */
export function orElse<T>(work: () => Awaitable<T>, instead: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(instead) : value
  } catch (error) {
    return instead(error)
  }
}

/** Work in steps of a few milliseconds at most, and its result. */
export type Steps<T> = Generator<void, T, undefined>

/** Runs all steps without yielding. */
export function runToCompletion<T>(pieces: Steps<T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done === true) return value
  }
}

/** Runs the steps, yielding to other work whenever the slice is used up. */
export async function runInSlices<T>(pieces: Steps<T>, slice: TimeSlice): Promise<T> {
  return runWithin(pieces, slice)
}

/** Like {@link runInSlices}, but synchronous if the slice is long enough for all steps. */
export function runWithin<T>(pieces: Steps<T>, slice: TimeSlice): Awaitable<T> {
  for (;;) {
    const { done, value } = pieces.next()
    if (done === true) return value
    const pause = slice.pause()
    if (pause !== undefined) return pause.then(() => runWithin(pieces, slice))
  }
}

/** Work for the end of this iteration of the event loop. */
let deferred: (() => void)[] = []

function runDeferred(): void {
  const works = deferred
  deferred = []
  for (const work of works) work()
}

/** Defers work until all input of this iteration of the event loop is read. The work must not throw. */
export function atEndOfTurn(work: () => void): void {
  deferred.push(work)
  planTurn()
}

/** Yields for one iteration of the event loop. Deferred work ({@link atEndOfTurn}) runs before the promise resolves. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    shortWork.push(resolve)
    planTurn()
  })
}

/** Runs tasks one after another and yields between them. The first starts without delay. */
export class TurnQueue {
  #slice = new TimeSlice()
  #waiting = 0
  readonly #mutex = new Mutex()

  /** @param report - receives what a task throws; later tasks still run */
  add(work: () => Awaitable<void>, report: (fault: unknown) => void): void {
    if (this.#waiting++ === 0) this.#slice = new TimeSlice()
    void this.#mutex
      .run(async () => {
        await this.#slice.pause()
        await work()
      })
      .catch(report)
      .finally(() => this.#waiting--)
  }
}

/** Maximum number of waiting tasks: beyond it, the oldest runs at once. */
const MAX_WAITING = 100_000

/**
 * Runs short tasks in order and yields to other work between them: an event may have tens of thousands of
 * subscriptions, and one read of a connection may hold thousands of requests. Tasks that fit into this turn of the
 * event loop run at once.
 */
export class ShortWorkQueue {
  #slice = new TimeSlice()
  #waiting: (() => void)[] = []
  /** Number of finished tasks in `#waiting`. */
  #done = 0

  /** @param work - must not throw */
  add(work: () => void): void {
    if (this.#waiting.length > 0) {
      if (this.#waiting.push(work) - this.#done > MAX_WAITING) this.#runNext()
      return
    }
    const pause = this.#slice.pause()
    if (pause === undefined) {
      work()
      return
    }
    this.#waiting.push(work)
    void pause.then(() => this.#runAll())
  }

  #runAll(): void {
    while (this.#done < this.#waiting.length) {
      const pause = this.#slice.pause()
      if (pause !== undefined) {
        void pause.then(() => this.#runAll())
        return
      }
      this.#runNext()
    }
    this.#waiting = []
    this.#done = 0
    this.#slice = new TimeSlice()
  }

  #runNext(): void {
    const work = this.#waiting[this.#done]
    // Releases the finished task; the list itself is trimmed from time to time.
    this.#waiting[this.#done++] = nothing
    if (this.#done > MAX_WAITING) {
      this.#waiting = this.#waiting.slice(this.#done)
      this.#done = 0
    }
    work?.()
  }
}

function nothing(): void {
  // Replaces a finished task.
}

/** Items sorted or merged in one step. */
const RUN_LENGTH = 512

/** Incremental stable sort. */
export function* sortInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += RUN_LENGTH) {
    runs.push(items.slice(start, start + RUN_LENGTH).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare))
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** Returns the entries of a map ordered by the UTF-16 code units of their keys, as Go sorts ASCII keys. */
export function sortedEntries<Value>(map: ReadonlyMap<string, Value>): Steps<[string, Value][]> {
  return sortInSlices([...map], ([a], [b]) => (a < b ? -1 : 1))
}

/** Merges two sorted lists; equal items of the first list come first. */
function* merge<T>(first: T[], second: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = []
  let taken = 0
  for (const item of second) {
    for (; taken < first.length && compare(first[taken] as T, item) <= 0; taken++) {
      merged.push(first[taken] as T)
      if (merged.length % RUN_LENGTH === 0) yield
    }
    merged.push(item)
    if (merged.length % RUN_LENGTH === 0) yield
  }
  for (; taken < first.length; taken++) merged.push(first[taken] as T)
  return merged
}

/** Characters per chunk. */
const CHUNK = 64 * 1024

/**
 * Joins short texts into chunks, yielding to other work in between.
 *
 * @throws the signal's reason when it is aborted
 */
export async function* textChunks(pieces: Iterable<string>, signal?: AbortSignal): AsyncGenerator<string> {
  const slice = new TimeSlice()
  let chunk = ''
  for (const piece of pieces) {
    chunk += piece
    if (chunk.length >= CHUNK) {
      yield chunk
      signal?.throwIfAborted()
      chunk = ''
    }
    const pause = slice.pause()
    if (pause === undefined) continue
    await pause
    signal?.throwIfAborted()
  }
  yield chunk
}

/** Longest delay of setTimeout in milliseconds. Node keeps it in 31 bits; a longer one fires at once. */
export const TIMEOUT_MAX = 2 ** 31 - 1

/** Runs tasks one at a time, in the order given. A task that fails does not stop the next. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()
  #refuse: (() => Error) | undefined

  /** @throws the error given to {@link close} if that was called before the task's turn */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    return this.runAfterClose(() => {
      if (this.#refuse !== undefined) throw this.#refuse()
      return task()
    })
  }

  /** Like {@link run}, for tasks that change nothing: they run even after {@link close}. */
  runAfterClose<T>(task: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined)
    return result
  }

  /**
   * Refuses all further tasks, including waiting ones.
   *
   * @param refuse - creates the error of a refused task
   * @returns once the running task is done
   */
  async close(refuse: () => Error): Promise<void> {
    this.#refuse = refuse
    await this.#last
  }
}

/** One mutex per key: tasks with different keys do not wait for each other. */
export class KeyedMutex {
  readonly #mutexes = new Map<string, { mutex: Mutex; tasks: number }>()

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const entry = this.#mutexes.get(key) ?? { mutex: new Mutex(), tasks: 0 }
    this.#mutexes.set(key, entry)
    entry.tasks++
    try {
      return await entry.mutex.run(task)
    } finally {
      entry.tasks--
      if (entry.tasks === 0) this.#mutexes.delete(key)
    }
  }
}

/** Shared/exclusive lock. Tasks are served in order of arrival. */
export class ReadWriteLock {
  readonly #exclusive = new Mutex()
  readonly #sharing = new Set<Promise<unknown>>()
  #lastExclusive: Promise<unknown> = Promise.resolve()

  /** Runs a task alongside others that share the lock. */
  share<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#lastExclusive.then(task)
    const settled: Promise<unknown> = result.then(
      () => this.#sharing.delete(settled),
      () => this.#sharing.delete(settled),
    )
    this.#sharing.add(settled)
    return result
  }

  /** Runs a task that holds the lock alone. */
  exclusive<T>(task: () => Promise<T>): Promise<T> {
    const before = [...this.#sharing]
    const result = this.#exclusive.run(async () => {
      await Promise.all(before)
      return task()
    })
    this.#lastExclusive = result.catch(() => undefined)
    return result
  }
}
