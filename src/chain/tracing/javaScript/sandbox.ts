import { MessageChannel, Worker } from 'node:worker_threads'
import { type Awaitable, TimeSlice } from '../../../encoding/timeSlice.js'
import { prelude } from './prelude.js'
import {
  type EngineSetup,
  type Order,
  type Outcome,
  type Question,
  type Reply,
  type SandboxArgument,
  type SandboxValue,
  serve,
} from './worker.js'

export type { SandboxArgument, SandboxValue } from './worker.js'

const limits: EngineSetup['limits'] = {
  memoryBytes: 16 * 1024 * 1024,
  stackBytes: 512 * 1024,
  // The others that have a sandbox in its thread wait meanwhile.
  runMilliseconds: 250,
}
/** How long a thread may say nothing: what copies or searches a text cannot be stopped from within. */
const LONGEST_SILENCE_MILLISECONDS = 10_000
const MOST_THREADS = 4
/** An engine keeps the memory that its programs took at most. Its thread ends when it has had none for so long. */
const IDLE_MILLISECONDS = 10_000

/** Functions of this process that a program may call, by name. */
export type SandboxFunctions = Readonly<
  Record<string, (...parameters: SandboxArgument[]) => Awaitable<SandboxValue>>
>

/** A program has thrown, was stopped, or could not be parsed. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'
}

/** What a sandbox waits for, and what its program may call meanwhile. */
interface Pending {
  functions: SandboxFunctions
  resolve: (text: string | undefined) => void
  reject: (error: unknown) => void
  /** What a function of this process has thrown, if it is no refusal of the program. */
  fault?: unknown
}

/** A thread with an engine, QuickJS in WebAssembly: nothing that a program does holds this one. */
class EngineThread {
  readonly #sandboxes = new Set<number>()
  readonly #pending = new Map<number, Pending>()
  readonly #signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #answers = new MessageChannel()
  readonly #slice = new TimeSlice()
  readonly #worker: Worker
  #watch: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #isOver = false

  constructor() {
    const { port1, port2 } = this.#answers
    const setup: EngineSetup = { url: import.meta.url, prelude, answers: port2, signal: this.#signal, limits }
    // The code comes as text, so that bundles and tests need no file beside them.
    this.#worker = new Worker(`(${serve.toString()})()`, {
      eval: true,
      workerData: setup,
      transferList: [port2],
      execArgv: [],
    })
    port1.unref()
    this.#worker.unref()
    this.#worker.on('message', (message: Question | Outcome) => {
      if ('name' in message) void this.#answer(message)
      else this.#settle(message)
    })
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('the thread of tracers has ended')))
  }

  /** How many sandboxes it has. */
  get size(): number {
    return this.#sandboxes.size
  }

  add(sandbox: number): void {
    this.#sandboxes.add(sandbox)
    clearTimeout(this.#idle)
  }

  /** Frees a context. */
  remove(sandbox: number): void {
    if (!this.#sandboxes.delete(sandbox) || this.#isOver) return
    this.#worker.postMessage({ sandbox, work: 'close' } satisfies Order)
    if (this.#sandboxes.size > 0) return
    this.#idle = setTimeout(() => this.#end(new Error('the thread of tracers is idle')), IDLE_MILLISECONDS)
    this.#idle.unref()
  }

  /** What an order comes to: text, if the program gave any. @throws SandboxError */
  order(order: Order, functions: SandboxFunctions): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) {
        reject(timeout())
        return
      }
      this.#pending.set(order.sandbox, { functions, resolve, reject })
      this.#worker.ref()
      this.#startWatch()
      this.#worker.postMessage(order)
    })
  }

  #settle(outcome: Outcome): void {
    const pending = this.#pending.get(outcome.sandbox)
    this.#pending.delete(outcome.sandbox)
    if (this.#pending.size > 0) this.#startWatch()
    else {
      clearTimeout(this.#watch)
      this.#worker.unref()
    }
    if (pending === undefined) return
    if ('fault' in pending) pending.reject(pending.fault)
    else if ('failure' in outcome) pending.reject(new SandboxError(outcome.failure))
    else pending.resolve(outcome.text)
  }

  /** Answers when this turn of the event loop has time left: a program may ask without end. */
  async #answer({ sandbox, name, parameters }: Question): Promise<void> {
    clearTimeout(this.#watch)
    await this.#slice.pause()
    const pending = this.#pending.get(sandbox)
    let reply: Reply
    try {
      const value = await pending?.functions[name]?.(...parameters)
      // A part of a buffer would be sent with all of it.
      reply = { value: value instanceof Uint8Array ? new Uint8Array(value) : value }
    } catch (error) {
      if (!(error instanceof SandboxError) && pending !== undefined) pending.fault = error
      reply = { interruption: error instanceof Error ? error.message : String(error) }
    }
    if (this.#isOver) return
    this.#startWatch()
    this.#answers.port1.postMessage(reply)
    Atomics.store(this.#signal, 0, 1)
    Atomics.notify(this.#signal, 0)
  }

  #startWatch(): void {
    clearTimeout(this.#watch)
    this.#watch = setTimeout(() => this.#end(timeout()), LONGEST_SILENCE_MILLISECONDS)
  }

  #end(error: Error): void {
    this.#isOver = true
    threads.delete(this)
    clearTimeout(this.#watch)
    clearTimeout(this.#idle)
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
    void this.#worker.terminate()
  }
}

function timeout(): SandboxError {
  return new SandboxError('execution timeout')
}

const threads = new Set<EngineThread>()

/** The thread with the fewest sandboxes; one more while there may be, and all have some. */
function freestThread(): EngineThread {
  let freest: EngineThread | undefined
  for (const thread of threads) {
    if (freest === undefined || thread.size < freest.size) freest = thread
  }
  if (freest !== undefined && (freest.size === 0 || threads.size === MOST_THREADS)) return freest
  const thread = new EngineThread()
  threads.add(thread)
  return thread
}

let newestId = 0

/** Frees the contexts of traces that ended early. */
const abandoned = new FinalizationRegistry<{ thread: EngineThread; id: number }>(({ thread, id }) =>
  thread.remove(id),
)

/** A JavaScript context of its own, in which a program sees nothing but the functions that it is given. */
export class Sandbox {
  readonly #thread = freestThread()
  readonly #id = ++newestId
  readonly #functions: SandboxFunctions

  /** @param functions - what `host` has in the prelude, beside `interrupt` */
  constructor(functions: SandboxFunctions) {
    this.#functions = functions
    this.#thread.add(this.#id)
    abandoned.register(this, { thread: this.#thread, id: this.#id })
  }

  /**
   * Evaluates a program that makes a tracer, and sets it up.
   *
   * @param config - JSON
   * @param facts - names of functions whose answers {@link call} brings
   * @returns the names of its hooks
   * @throws SandboxError
   */
  async start(program: string, config: string, facts: readonly string[]): Promise<ReadonlySet<string>> {
    const functions = [...Object.keys(this.#functions), ...facts]
    await this.#order({ sandbox: this.#id, work: 'open', functions })
    const names = await this.#order({ sandbox: this.#id, work: 'start', program, config })
    return new Set(names?.split(' '))
  }

  /**
   * Calls a hook.
   *
   * @param facts - answers of functions that need not be asked for, from now on
   * @returns what it returns, if that is text
   * @throws SandboxError
   */
  call(hook: string, facts?: Readonly<Record<string, SandboxValue>>): Promise<string | undefined> {
    return this.#order({ sandbox: this.#id, work: 'call', hook, facts })
  }

  /** Frees the context. */
  close(): void {
    this.#thread.remove(this.#id)
  }

  #order(order: Order): Promise<string | undefined> {
    return this.#thread.order(order, this.#functions)
  }
}
