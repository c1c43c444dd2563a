import { nextTick } from 'node:process'
import { setImmediate } from 'node:timers'

// The imported functions keep working when a test replaces the global ones.

/** Time that all work together may occupy the event loop before it serves connections again. */
const TURN_MILLISECONDS = 5
/** Time of one piece of new work while more waits, so that a thousand long requests delay the others little. */
const PIECE_MILLISECONDS = 0.1
/** Work is new until it has run for this long. */
const NEW_MILLISECONDS = 0.3
/** Work that has run for longer queues behind work that has run for less. */
const SHORT_MILLISECONDS = 20
/** One in this many pieces of new work begins a request. The others continue begun requests, which soon end or age. */
const PIECES_PER_BEGINNING = 16
/** Turns of new work for each turn of older work, while both wait. */
const NEW_TURNS = 3

/** When work began in this turn of the event loop; undefined until the clock is read. */
let turnStart: number | undefined
let isTurnPlanned = false

/** Work waiting for a turn. */
export class Lane {
  readonly #waiting: (() => void)[] = []
  readonly #isOrdered: boolean
  #isNewestNext = false

  /** @param inOrder - whether work begins in order of arrival */
  constructor({ inOrder = false } = {}) {
    this.#isOrdered = inOrder
  }

  get length(): number {
    return this.#waiting.length
  }

  push(work: () => void): void {
    this.#waiting.push(work)
  }

  /**
   * Takes the newest and the oldest in turn, unless their order counts: a small request need not wait for a thousand
   * that came before it, and none waits forever.
   */
  take(): (() => void) | undefined {
    this.#isNewestNext = !this.#isNewestNext && !this.#isOrdered
    return this.#isNewestNext ? this.#waiting.pop() : this.#waiting.shift()
  }
}

/** Where requests wait until they begin. Lanes take turns, so that a request waits only for those of its kind. */
export const lanes = {
  /** Calls that read a record or two. */
  lookups: new Lane(),
  /** Other calls that change nothing. */
  reads: new Lane(),
  /** Calls whose order counts, as that of transactions does. */
  changes: new Lane({ inOrder: true }),
  messages: new Lane(),
  files: new Lane(),
}
const laneList = Object.values(lanes)
/** Index of the lane that had the last turn. */
let lastLane = 0
/** Parts of requests that have begun. */
const parts = new Lane()
/** Counts pieces of new work. */
let pieces = 0

/** Work for the next turn of the event loop. */
let nextWork: (() => void)[] = []
/** Work that had a few turns, and work that had many. The two alternate. */
const shortWork = new Lane()
const longWork: (() => void)[] = []
/** Turns of new work since older work had one. */
let newTurns = 0
let isLongWorkNext = false
/** When the running work was resumed; undefined while input is read. */
let resumed: number | undefined
let isResumedNew = false

function planTurn(): void {
  if (isTurnPlanned) return
  isTurnPlanned = true
  setImmediate(takeTurn)
}

/** Runs deferred work and resumes new work, or one older waiter. Input is read after each turn, however many wait. */
function takeTurn(): void {
  isTurnPlanned = false
  turnStart = undefined
  runDeferred()
  for (const work of nextWork) parts.push(work)
  nextWork = []
  const olderWaits = shortWork.length + longWork.length > 0
  if (hasNewWork() && !(olderWaits && newTurns >= NEW_TURNS)) {
    newTurns++
    resumeNewWork()
    return
  }
  newTurns = 0
  isLongWorkNext = !isLongWorkNext
  const proceed = isLongWorkNext
    ? (longWork.shift() ?? shortWork.take())
    : (shortWork.take() ?? longWork.shift())
  if (proceed === undefined) return
  resumed = beginTurn(performance.now())
  isResumedNew = false
  proceed()
  afterPromises(() => (resumed = undefined))
}

/** Runs a function when no promise can continue before the next event. */
function afterPromises(run: () => void): void {
  queueMicrotask(() => nextTick(run))
}

function hasNewWork(): boolean {
  for (const lane of laneList) if (lane.length > 0) return true
  return parts.length > 0
}

function takeNewWork(): (() => void) | undefined {
  const part = ++pieces % PIECES_PER_BEGINNING === 0 ? undefined : parts.take()
  return part ?? takeBeginning() ?? parts.take()
}

function takeBeginning(): (() => void) | undefined {
  for (let count = laneList.length; count > 0; count--) {
    lastLane = (lastLane + 1) % laneList.length
    const work = laneList[lastLane]?.take()
    if (work !== undefined) return work
  }
  return undefined
}

/** Resumes new work piece by piece, each after the promises of the one before, until the turn is used up. */
function resumeNewWork(): void {
  const now = performance.now()
  const proceed = now - beginTurn(now) < TURN_MILLISECONDS ? takeNewWork() : undefined
  resumed = proceed && now
  isResumedNew = true
  if (proceed === undefined) return
  proceed()
  afterPromises(resumeNewWork)
}

/** Begins this turn unless it has begun. @returns when it began */
function beginTurn(now: number): number {
  if (turnStart !== undefined) return turnStart
  planTurn()
  return (turnStart = now)
}

/** Whether work must make room. */
function isTurnOver(isNew: boolean, now: number): boolean {
  if (now - beginTurn(now) >= TURN_MILLISECONDS) return true
  if (!hasNewWork()) return false
  return resumed === undefined || !isResumedNew ? isNew : now - resumed >= PIECE_MILLISECONDS
}

/**
 * Splits long work into slices so that other requests are served in between. All work shares the time of one turn of
 * the event loop: a hundred long requests delay the others no more than one does.
 */
export class TimeSlice {
  /** Milliseconds that this work has run since it was first queued. */
  #worked = 0
  readonly #begun = performance.now()
  readonly #signal: AbortSignal | undefined

  /** @param signal - ends the work when it is aborted */
  constructor(signal?: AbortSignal) {
    this.#signal = signal
    beginTurn(this.#begun)
  }

  /**
   * Returns a promise to await once the time of this turn is used up, otherwise undefined. It rejects with the signal's
   * reason if that was aborted.
   */
  pause(): Promise<void> | undefined {
    const now = performance.now()
    const isNew = this.#worked < NEW_MILLISECONDS
    if (!isTurnOver(isNew, now)) return undefined
    if (resumed !== undefined) {
      const worked = now - Math.max(resumed, this.#begun)
      // One long step, or a collection of garbage, does not make work old.
      this.#worked += isNew ? Math.min(worked, PIECE_MILLISECONDS) : worked
    }
    const queue =
      this.#worked < NEW_MILLISECONDS ? parts : this.#worked < SHORT_MILLISECONDS ? shortWork : longWork
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

/**
 * Work in steps of a few milliseconds at most, and its result. A function that returns such work is named `InSteps`;
 * one that runs it and yields between slices, `InSlices`.
 */
export type Steps<T> = Generator<void, T, undefined>

/** Runs all steps without yielding. */
export function runToCompletion<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Runs the steps, yielding to other work whenever the slice is used up. */
export async function runInSlices<T>(steps: Steps<T>, slice: TimeSlice): Promise<T> {
  return runWithin(steps, slice)
}

/** Like {@link runInSlices}, but synchronous if the slice is long enough for all steps. */
export function runWithin<T>(steps: Steps<T>, slice: TimeSlice): Awaitable<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    const pause = slice.pause()
    if (pause !== undefined) return pause.then(() => runWithin(steps, slice))
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
    nextWork.push(resolve)
    planTurn()
  })
}

/** Returns a promise to await before new work if this turn is used up or other work goes first, otherwise undefined. */
export function turnIn(laneOf: () => Lane): Promise<void> | undefined {
  if (!isTurnOver(true, performance.now())) return undefined
  return new Promise((resolve) => {
    laneOf().push(resolve)
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
  readonly #lane: Lane
  #waiting: (() => void)[] = []
  /** Number of finished tasks in `#waiting`. */
  #done = 0

  /** @param lane - where the queue waits for its turns */
  constructor(lane: Lane = parts) {
    this.#lane = lane
  }

  /** @param work - must not throw */
  add(work: () => void): void {
    if (this.#waiting.length > 0) {
      if (this.#waiting.push(work) - this.#done > MAX_WAITING) this.#runNext()
      return
    }
    const pause = turnIn(() => this.#lane)
    if (pause === undefined) {
      work()
      return
    }
    this.#waiting.push(work)
    void pause.then(() => this.#runAll())
  }

  #runAll(): void {
    while (this.#done < this.#waiting.length) {
      const pause = turnIn(() => this.#lane)
      if (pause !== undefined) {
        void pause.then(() => this.#runAll())
        return
      }
      this.#runNext()
    }
    this.#waiting = []
    this.#done = 0
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

/** Longest delay of setTimeout in milliseconds. Node keeps it in 31 bits; a longer one fires at once. */
export const TIMEOUT_MAX = 2 ** 31 - 1

/** Runs tasks one at a time, in the order given. A task that fails does not stop the next. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()
  #refuse: (() => Error) | undefined

  /** @throws the error given to {@link close} if that was called before the task's turn */
  run<T>(task: () => Awaitable<T>): Promise<T> {
    return this.runAfterClose(() => {
      if (this.#refuse !== undefined) throw this.#refuse()
      return task()
    })
  }

  /** Like {@link run}, for tasks that change nothing: they run even after {@link close}. */
  runAfterClose<T>(task: () => Awaitable<T>): Promise<T> {
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
