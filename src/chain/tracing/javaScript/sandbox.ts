import { openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type * as QuickJs from 'quickjs-emscripten-core'
import type {
  AsyncFunctionImplementation,
  QuickJSAsyncContext,
  QuickJSAsyncVariant,
  QuickJSHandle,
} from 'quickjs-emscripten-core'
import { nextLongTurn } from '../../../encoding/timeSlice.js'
import { prelude } from './prelude.js'

/** Memory limit of a program in bytes. The engine cannot be stopped while it copies or writes a single value. */
const MAX_MEMORY_BYTES = 16 * 1024 * 1024
const MAX_STACK_BYTES = 512 * 1024
/** Maximum CPU time of a program before it returns to this process, which serves nothing else meanwhile. */
const MAX_RUN_MILLISECONDS = 25

/** An argument from a program to a function of this process. */
export type SandboxArgument = number | string | Uint8Array
/** A result of a function of this process for a program. */
export type SandboxValue = number | string | boolean | Uint8Array | undefined
/** Functions of this process that a program may call, by name. */
export type SandboxFunctions = Readonly<
  Record<string, (...parameters: SandboxArgument[]) => SandboxValue | Promise<SandboxValue>>
>

/** A program threw, was stopped, or could not be parsed. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'
}

interface Engine {
  core: Pick<typeof QuickJs, 'newQuickJSAsyncWASMModuleFromVariant' | 'newVariant'>
  variant: QuickJSAsyncVariant
  wasmModule: WebAssembly.Module
  /** Source of the library for large integers. */
  bigInteger: string
}

/** Compiles off this thread; missing from Node's types. */
const compiler = Reflect.get(globalThis, 'WebAssembly') as {
  compile(binary: Uint8Array): Promise<WebAssembly.Module>
}

let engine: Promise<Engine> | undefined

async function loadEngine(): Promise<Engine> {
  const require = createRequire(import.meta.url)
  const { default: variant } = require('@jitl/quickjs-wasmfile-release-asyncify') as {
    default: QuickJSAsyncVariant
  }
  const [core, wasm, bigInteger] = await Promise.all([
    import('quickjs-emscripten-core'),
    readFile(require.resolve('@jitl/quickjs-wasmfile-release-asyncify/wasm')),
    readFile(require.resolve('big-integer'), 'utf8'),
  ])
  return { core, variant, wasmModule: await compiler.compile(wasm), bigInteger }
}

/**
 * A separate JavaScript engine (QuickJS in WebAssembly), in which a program has access only to the given functions of
 * this process. A function may return a promise; the program is then suspended until it settles.
 */
export class Sandbox {
  readonly #context: QuickJSAsyncContext
  /** The time and this thread's CPU time when the program was last entered; unset while our own code runs. */
  #entered: { time: number; processor: number } | undefined
  /** Why the program was stopped, if it was. */
  #interruption: string | undefined

  private constructor(context: QuickJSAsyncContext) {
    this.#context = context
    context.runtime.setMemoryLimit(MAX_MEMORY_BYTES)
    context.runtime.setMaxStackSize(MAX_STACK_BYTES)
    context.runtime.setInterruptHandler(() => this.#isOver())
  }

  /**
   * Creates a sandbox with the objects that tracers use.
   *
   * @param functions - members of the prelude's `host`, besides `interrupt`
   */
  static async create(functions: SandboxFunctions): Promise<Sandbox> {
    const { core, variant, wasmModule, bigInteger } = await (engine ??= loadEngine())
    await nextLongTurn()
    // One instance per sandbox, since only one program per instance can be suspended at a time.
    const instance = await core.newQuickJSAsyncWASMModuleFromVariant(core.newVariant(variant, { wasmModule }))
    const sandbox = new Sandbox(instance.newContext())
    await nextLongTurn()
    const make = await sandbox.#evaluate(prelude, 'prelude')
    await nextLongTurn()
    const start = sandbox.#unwrap(
      sandbox.#context.callFunction(
        make,
        sandbox.#context.undefined,
        sandbox.#host(functions),
        sandbox.#loadBigInt(bigInteger),
      ),
    )
    sandbox.#context.setProp(sandbox.#context.global, 'start the tracer', start)
    await nextLongTurn()
    return sandbox
  }

  /**
   * Evaluates a program that creates a tracer, and sets it up.
   *
   * @param config - JSON
   * @returns the names of its hooks
   * @throws SandboxError
   */
  async start(program: string, config: string): Promise<ReadonlySet<string>> {
    this.#startClock()
    const tracer = await this.#evaluate(`(${program})`, '<eval>')
    const context = this.#context
    const start = context.getProp(context.global, 'start the tracer')
    context.setProp(context.global, 'start the tracer', context.undefined)
    const names = this.#unwrap(
      context.callFunction(start, context.undefined, tracer, context.newString(config)),
    )
    this.#checkInterruption()
    return new Set(context.getString(names).split(' '))
  }

  /**
   * Calls a hook.
   *
   * @returns its result, if that is a string
   * @throws SandboxError
   */
  async call(hook: string): Promise<string | undefined> {
    this.#startClock()
    const value = await this.#evaluate(`globalThis['hooks of the tracer'].${hook}()`, '<eval>')
    const text = this.#context.typeof(value) === 'string' ? this.#context.getString(value) : undefined
    value.dispose()
    this.#checkInterruption()
    return text
  }

  /** Throws if the program was stopped, even if it caught the interruption and went on. */
  #checkInterruption(): void {
    if (this.#interruption !== undefined) throw new SandboxError(this.#interruption)
  }

  #isOver(): boolean {
    const entered = this.#entered
    if (entered === undefined) return false
    // On a busy machine wall time means little, but CPU time takes longer to read.
    if (performance.now() - entered.time > MAX_RUN_MILLISECONDS) {
      if (processorMilliseconds() - entered.processor > MAX_RUN_MILLISECONDS) {
        this.#interruption ??= 'execution timeout'
      }
    }
    return this.#interruption !== undefined
  }

  async #evaluate(code: string, name: string): Promise<QuickJSHandle> {
    return this.#unwrap(await this.#context.evalCodeAsync(code, name))
  }

  #startClock(): void {
    this.#entered = { time: performance.now(), processor: processorMilliseconds() }
  }

  #unwrap(result: Awaited<ReturnType<QuickJSAsyncContext['evalCodeAsync']>>): QuickJSHandle {
    if (!('error' in result) || result.error === undefined) return result.value
    const thrown: unknown = this.#context.dump(result.error)
    result.error.dispose()
    throw new SandboxError(this.#interruption ?? describeThrown(thrown))
  }

  #host(functions: SandboxFunctions): QuickJSHandle {
    const context = this.#context
    const host = context.newObject()
    const interrupt = context.newFunction('interrupt', (message) => {
      this.#interruption ??= context.getString(message)
    })
    context.setProp(host, 'interrupt', interrupt)
    for (const [name, work] of Object.entries(functions)) {
      const call = (...handles: QuickJSHandle[]): QuickJSHandle | Promise<QuickJSHandle> => {
        const value = this.#run(() => work(...handles.map((handle) => this.#argument(handle))))
        if (!(value instanceof Promise)) return this.#value(value)
        return value.then((waited) => {
          this.#startClock()
          return this.#value(waited)
        })
      }
      // The engine suspends only if it gets a promise, which its types do not express.
      context.setProp(host, name, context.newAsyncifiedFunction(name, call as AsyncFunctionImplementation))
    }
    return host
  }

  /** Returns a function for the program that sets up the library for large integers. */
  #loadBigInt(source: string): QuickJSHandle {
    // Without native BigInt during setup, the library behaves as in geth, whose engine has none.
    const library = `(function (BigInt, module) { ${source}; return bigInt })(undefined, undefined)`
    return this.#context.newFunction('loadBigInt', () => {
      const entered = this.#entered
      const [time, processor] = [performance.now(), processorMilliseconds()]
      this.#entered = undefined
      const bigInt = this.#unwrap(this.#context.evalCode(library, 'bigInt'))
      // Setting up the library does not count as time of the program.
      if (entered !== undefined) {
        this.#entered = {
          time: entered.time + performance.now() - time,
          processor: entered.processor + processorMilliseconds() - processor,
        }
      }
      return bigInt
    })
  }

  /** Keeps a program from catching an error of a function of this process. */
  #run<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (error instanceof SandboxError) this.#interruption ??= error.message
      throw error
    }
  }

  #argument(handle: QuickJSHandle): SandboxArgument {
    const type = this.#context.typeof(handle)
    if (type === 'number') return this.#context.getNumber(handle)
    if (type === 'string') return this.#context.getString(handle)
    const lent = this.#context.getArrayBuffer(handle)
    const bytes = lent.value.slice()
    lent.dispose()
    return bytes
  }

  #value(value: SandboxValue): QuickJSHandle {
    const context = this.#context
    switch (typeof value) {
      case 'number':
        return context.newNumber(value)
      case 'string':
        return context.newString(value)
      case 'boolean':
        return value ? context.true : context.false
      case 'undefined':
        return context.undefined
      default:
        return context.newArrayBuffer(new Uint8Array(value).buffer)
    }
  }
}

function processorMilliseconds(): number {
  if (schedule === undefined) {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  const length = readSync(schedule, scheduleText, 0, scheduleText.length, 0)
  return Number.parseInt(scheduleText.latin1Slice(0, length)) / 1e6
}

/** Source of this thread's run time on Linux; elsewhere other threads of the process count, too. */
const schedule = openSchedule()
const scheduleText = Buffer.alloc(64)

function openSchedule(): number | undefined {
  try {
    return openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    return undefined
  }
}

/** Formats a thrown value like geth's engine, without the position. */
function describeThrown(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown)
  const { name, message } = thrown as { name?: unknown; message?: unknown }
  if (typeof message !== 'string') return JSON.stringify(thrown)
  return `${String(name)}: ${message.replace(/^'(.*)' is not defined$/, '$1 is not defined')}`
}
