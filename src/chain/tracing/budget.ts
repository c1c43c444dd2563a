import { ChainError } from '../errors.js'
import type { Requester } from '../vm/blockEnvironment.js'
import type { ExecutionTracer } from './tracer.js'

/** Bytes held for a byte of a trace: its values, and its text. */
const TRACE_COPIES = 3

/** A trace whose text would exceed the maximum answer size. */
export class TraceTooLargeError extends ChainError {
  override readonly name = 'TraceTooLargeError'
  constructor() {
    super('response too large')
  }
}

/** Aborts an execution from within; carries the error for the caller. */
export class TraceInterruption extends Error {
  readonly refusal: ChainError

  constructor(refusal: ChainError) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** Limits of one request for traces. */
export interface TraceLimits {
  /** Total size of all traces in bytes. */
  maxBytes: number
  /** Per transaction, unless its guard sets another limit. */
  timeoutMilliseconds: number
  /** The request that they belong to: a trace ends once nobody waits for it. */
  requester?: Requester | undefined
}

/** Tracks the cost of traces, and aborts an execution that exceeds it. */
export class TraceBudget {
  readonly #limits: TraceLimits
  #bytes = 0
  #deadline = Infinity
  readonly #ends = new Set<() => void>()

  constructor(limits: TraceLimits) {
    this.#limits = limits
  }

  get requester(): Requester | undefined {
    return this.#limits.requester
  }

  /** Starts the clock of a transaction. @throws TraceInterruption if the client is gone */
  restart(timeoutMilliseconds = this.#limits.timeoutMilliseconds): void {
    if (this.#isAbandoned) throw timeout()
    this.#deadline = performance.now() + timeoutMilliseconds
  }

  /** Spends bytes. @throws TraceInterruption if fewer are left */
  spend(bytes: number): void {
    this.#bytes += bytes
    this.#limits.requester?.memory?.keep(TRACE_COPIES * bytes)
    if (this.#bytes > this.#limits.maxBytes) throw new TraceInterruption(new TraceTooLargeError())
  }

  /**
   * @throws TraceInterruption if the time is up or the client is gone
   */
  checkTime(): void {
    if (performance.now() > this.#deadline || this.#isAbandoned) throw timeout()
  }

  /** Calls a function at the end of the request. @returns a function that forgets it */
  onEnd(end: () => void): () => void {
    this.#ends.add(end)
    return () => this.#ends.delete(end)
  }

  /** The request is over. */
  end(): void {
    for (const end of this.#ends) end()
  }

  get #isAbandoned(): boolean {
    return this.#limits.requester?.signal?.aborted === true
  }

  /** Creates a tracer that aborts executions over budget. */
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

/** Runs interruptible work. @throws the error carried by an interruption instead of the interruption */
export async function interruptible<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof TraceInterruption ? error.refusal : error
  }
}
