import { MessageChannel, type MessagePort, Worker, receiveMessageOnPort } from 'node:worker_threads'
import { errorText } from '../../../encoding/errorText.js'
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
  type StepFacts,
  serve,
} from './worker.js'

export type { SandboxArgument, SandboxValue, StepFacts } from './worker.js'

const limits: EngineSetup['limits'] = {
  memoryBytes: 16 * 1024 * 1024,
  stackBytes: 512 * 1024,
  // Other sandboxes of the same thread wait meanwhile.
  runMilliseconds: 2_000,
  spinMilliseconds: 0.1,
}
/** Time that this thread looks for a message before it turns to other work. */
const SPIN_MILLISECONDS = 0.1
/** Messages for which it does not look after one that took longer: the threads may share a processor. */
const MESSAGES_WITHOUT_SPIN = 32
/** Maximum silence of a thread: the engine cannot be interrupted while it copies or searches a text. */
const MAX_SILENCE_MILLISECONDS = 10_000
const MAX_THREADS = 4
/** An engine never gives back memory, so a thread ends after this time without sandboxes. */
const IDLE_MILLISECONDS = 10_000

/** Functions of this process that a program may call, by name. */
export type SandboxFunctions = Readonly<
  Record<string, (...parameters: SandboxArgument[]) => Awaitable<SandboxValue>>
>

/** Names of functions whose results the thread knows: of each step, or once they have been asked for in a frame. */
export interface KnownFunctions {
  step: readonly string[]
  frame: readonly string[]
}

/** A program has thrown, was stopped, or could not be parsed. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'
}

/** An order without an outcome yet, and the functions that its program may call. */
interface Pending {
  functions: SandboxFunctions
  resolve: (text: string | undefined) => void
  reject: (error: unknown) => void
  /** An error of a function of this process, unless it refuses the program's call. */
  fault?: unknown
}

/** Resolves once a number differs from the given value; missing from the configured library of TypeScript. */
const waitAsync = Reflect.get(Atomics, 'waitAsync') as (
  numbers: Int32Array,
  index: number,
  value: number,
) => { value: unknown }

/** A thread with an engine, QuickJS in WebAssembly. Nothing that a program does holds the main thread. */
class EngineThread {
  readonly #sandboxes = new Set<number>()
  readonly #pending = new Map<number, Pending>()
  readonly #counts = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  readonly #port: MessagePort
  readonly #slice = new TimeSlice()
  readonly #worker: Worker
  readonly #watch: NodeJS.Timeout
  /** When the thread last began to work without a word; infinite while it waits for an answer. */
  #silentSince = Infinity
  #withoutSpin = 0
  #isListening = false
  #idle: NodeJS.Timeout | undefined
  #isOver = false

  constructor() {
    const { port1, port2 } = new MessageChannel()
    const setup: EngineSetup = { url: import.meta.url, prelude, port: port2, counts: this.#counts, limits }
    // The code is passed as text so that neither bundles nor tests need a file for it.
    this.#worker = new Worker(`(${serve.toString()})()`, {
      eval: true,
      workerData: setup,
      transferList: [port2],
      execArgv: [],
    })
    this.#worker.unref()
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('the thread of tracers has ended')))
    this.#port = port1
    this.#port.unref()
    this.#watch = setInterval(() => this.#checkSilence(), MAX_SILENCE_MILLISECONDS / 4)
    this.#watch.unref()
  }

  /** Number of sandboxes. */
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
    this.#send({ sandbox, work: 'close' })
    if (this.#sandboxes.size > 0) return
    this.#idle = setTimeout(() => this.#end(new Error('the thread of tracers is idle')), IDLE_MILLISECONDS)
    this.#idle.unref()
  }

  /**
   * Carries out an order.
   *
   * @returns the text that the program returned, if any
   * @throws SandboxError
   */
  order(order: Order, functions: SandboxFunctions): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) {
        reject(timeout())
        return
      }
      if (this.#pending.size === 0) {
        this.#worker.ref()
        this.#silentSince = performance.now()
      }
      this.#pending.set(order.sandbox, { functions, resolve, reject })
      this.#send(order)
      if (!this.#isListening) void this.#listen()
    })
  }

  #send(message: Order | Reply): void {
    this.#port.postMessage(message)
    Atomics.add(this.#counts, 0, 1)
    Atomics.notify(this.#counts, 0)
  }

  /** Handles messages until no order is left. */
  async #listen(): Promise<void> {
    this.#isListening = true
    while (this.#pending.size > 0) {
      const count = Atomics.load(this.#counts, 1)
      const received = receiveMessageOnPort(this.#port)
      if (received === undefined) {
        if (!this.#spin(count)) await waitAsync(this.#counts, 1, count).value
      } else if ('name' in received.message) await this.#answer(received.message)
      else this.#settle(received.message)
    }
    this.#isListening = false
  }

  /** Looks for a message for a moment, which is faster than being woken for it. Returns whether one has arrived. */
  #spin(count: number): boolean {
    if (--this.#withoutSpin > 0) return false
    const end = performance.now() + SPIN_MILLISECONDS
    while (Atomics.load(this.#counts, 1) === count) {
      if (performance.now() < end) continue
      this.#withoutSpin = MESSAGES_WITHOUT_SPIN
      return false
    }
    return true
  }

  #settle(outcome: Outcome): void {
    this.#silentSince = performance.now()
    const pending = this.#pending.get(outcome.sandbox)
    this.#pending.delete(outcome.sandbox)
    if (this.#pending.size === 0) this.#worker.unref()
    if (pending === undefined) return
    if ('fault' in pending) pending.reject(pending.fault)
    else if ('failure' in outcome) pending.reject(new SandboxError(outcome.failure))
    else pending.resolve(outcome.text)
  }

  /** Answers once this turn of the event loop has time left, since a program may ask without end. */
  async #answer({ sandbox, name, parameters }: Question): Promise<void> {
    this.#silentSince = Infinity
    const pause = this.#slice.pause()
    if (pause !== undefined) await pause
    const pending = this.#pending.get(sandbox)
    let reply: Reply
    try {
      const value = await pending?.functions[name]?.(...parameters)
      // A view would be sent with its whole buffer.
      reply = { value: value instanceof Uint8Array ? new Uint8Array(value) : value }
    } catch (error) {
      if (!(error instanceof SandboxError) && pending !== undefined) pending.fault = error
      reply = { interruption: errorText(error) }
    }
    if (this.#isOver) return
    this.#silentSince = performance.now()
    this.#send(reply)
  }

  #checkSilence(): void {
    const isSilent = performance.now() - this.#silentSince > MAX_SILENCE_MILLISECONDS
    if (this.#pending.size > 0 && isSilent) this.#end(timeout())
  }

  #end(error: Error): void {
    this.#isOver = true
    threads.delete(this)
    clearInterval(this.#watch)
    clearTimeout(this.#idle)
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
    // Wakes the listener, which finds no order left.
    Atomics.add(this.#counts, 1, 1)
    Atomics.notify(this.#counts, 1)
    void this.#worker.terminate()
  }
}

function timeout(): SandboxError {
  return new SandboxError('execution timeout')
}

const threads = new Set<EngineThread>()

/** Returns an idle thread, a new one while there may be more, or else the thread with the fewest sandboxes. */
function freestThread(): EngineThread {
  let freest: EngineThread | undefined
  for (const thread of threads) {
    if (freest === undefined || thread.size < freest.size) freest = thread
  }
  if (freest !== undefined && (freest.size === 0 || threads.size === MAX_THREADS)) return freest
  const thread = new EngineThread()
  threads.add(thread)
  return thread
}

let newestId = 0

/** A separate JavaScript context, in which a program has access only to the given functions. */
export class Sandbox {
  readonly #thread = freestThread()
  readonly #id = ++newestId
  readonly #functions: SandboxFunctions

  /** @param functions - members of the prelude's `host`, besides `interrupt` */
  constructor(functions: SandboxFunctions) {
    this.#functions = functions
    this.#thread.add(this.#id)
  }

  /**
   * Evaluates a program that creates a tracer, and sets it up.
   *
   * @param config - JSON
   * @returns the names of its hooks
   * @throws SandboxError
   */
  async start(
    program: string,
    config: string,
    { step, frame }: KnownFunctions,
  ): Promise<ReadonlySet<string>> {
    const functions = [...Object.keys(this.#functions), ...step]
    await this.#order({ sandbox: this.#id, work: 'open', functions, frameFunctions: frame })
    const names = await this.#order({ sandbox: this.#id, work: 'start', program, config })
    return new Set(names?.split(' '))
  }

  /**
   * Calls a hook.
   *
   * @returns its result, if that is a string
   * @throws SandboxError
   */
  call(hook: string, facts?: StepFacts): Promise<string | undefined> {
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
