import { ChainError } from '../errors.js'
import type { ExecutionTracer } from './tracer.js'

/** A trace whose text would be longer than an answer may be. */
export class TraceTooLargeError extends ChainError {
  override readonly name = 'TraceTooLargeError'
  constructor() {
    super('response too large')
  }
}

/** Ends an execution from within: what it carries is for the caller. */
export class TraceInterruption extends Error {
  readonly refusal: ChainError

  constructor(refusal: ChainError) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** What one request for traces may cost. */
export interface TraceLimits {
  /** Bytes of all traces together. */
  maxBytes: number
  /** For each transaction, unless its guard has another limit. */
  timeoutMilliseconds: number
  /** Aborted when the client is gone. */
  signal?: AbortSignal | undefined
}

/** Counts what traces cost, and ends an execution that costs too much. */
export class TraceBudget {
  readonly #limits: TraceLimits
  #bytes = 0
  #deadline = Infinity

  constructor(limits: TraceLimits) {
    this.#limits = limits
  }

  /** Begins the time of a transaction. @throws TraceInterruption if the client is gone */
  restart(timeoutMilliseconds = this.#limits.timeoutMilliseconds): void {
    if (this.#isAbandoned) throw timeout()
    this.#deadline = performance.now() + timeoutMilliseconds
  }

  /** @throws TraceInterruption if no so many bytes are left */
  spend(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#limits.maxBytes) throw new TraceInterruption(new TraceTooLargeError())
  }

  /** @throws TraceInterruption if the time is over or the client is gone */
  checkTime(): void {
    if (performance.now() > this.#deadline || this.#isAbandoned) throw timeout()
  }

  get #isAbandoned(): boolean {
    return this.#limits.signal?.aborted === true
  }

  /** A tracer that ends executions over the budget. */
  guard(timeoutMilliseconds?: number): ExecutionTracer {
    return {
      begin: () => this.restart(timeoutMilliseconds),
      tick: () => this.checkTime(),
    }
  }
}

function timeout(): TraceInterruption {
  return new TraceInterruption(new ChainError('execution timeout'))
}

/** Runs what may be interrupted. @throws the refusal instead of the interruption */
export async function interruptible<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof TraceInterruption ? error.refusal : error
  }
}
