import type { MessagePort } from 'node:worker_threads'
import type * as QuickJs from 'quickjs-emscripten-core'
import type { QuickJSAsyncVariant, QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'

/** An argument from a program to a function of this process. */
export type SandboxArgument = number | string | Uint8Array
/** A result of a function of this process for a program. */
export type SandboxValue = number | string | boolean | Uint8Array | undefined

/** Start parameters of the engine's thread. */
export interface EngineSetup {
  /** URL of the module from which the libraries are resolved. */
  url: string
  prelude: string
  /** Carries {@link Order}s and {@link Reply}s to the thread, and {@link Question}s and {@link Outcome}s from it. */
  port: MessagePort
  /**
   * Counts the messages to the thread and those from it: waiting for a count is faster than for an event of the port.
   */
  counts: Int32Array
  limits: {
    memoryBytes: number
    stackBytes: number
    /** Maximum time of a program between two calls of functions of this process. */
    runMilliseconds: number
    /** Time that the thread looks for a message before it sleeps. */
    spinMilliseconds: number
  }
}

/** The opcode that a hook sees, sent along so that the program need not ask for it. */
export interface StepFacts {
  /** Results of functions, by name. */
  results: Readonly<Record<string, SandboxValue>>
  /** The topmost stack items, the top first; empty until a program has asked for one. */
  stack: readonly bigint[]
  /** Whether results of {@link Order}'s `frameFunctions` may differ from those of the last step. */
  isNewFrame: boolean
}

/** Work for the thread, one order at a time per sandbox. */
export type Order = { sandbox: number } & (
  | { work: 'open'; functions: string[]; frameFunctions: readonly string[] }
  | { work: 'start'; program: string; config: string }
  | { work: 'call'; hook: string; facts?: StepFacts | undefined }
  | { work: 'close' }
)

/** A call of a function of this process. The thread blocks until the reply arrives. */
export interface Question {
  sandbox: number
  name: string
  parameters: SandboxArgument[]
}

/** The result of a function, or the message that the program is interrupted with. */
export type Reply = { value: SandboxValue } | { interruption: string }

/** Result of an order: a returned text, or the message of a failure. */
export type Outcome = { sandbox: number } & ({ text: string | undefined } | { failure: string })

/** The thread's program. It must not use anything of this module, since only its own text is sent to the thread. */
export function serve(): void {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const { createRequire } = process.getBuiltinModule('node:module')
  const { receiveMessageOnPort, workerData } = process.getBuiltinModule('node:worker_threads')
  // Node warns of ES modules that are required.
  process.removeAllListeners('warning')
  const { url, prelude, port, counts, limits } = workerData as EngineSetup
  const require = createRequire(url)

  interface Sandbox {
    context: QuickJSContext
    step: StepFacts
    /** Functions whose results hold for a frame, and the results known for the current one. */
    frameFunctions: readonly string[]
    frameResults: Map<string, SandboxValue>
    /** When the program was last entered; infinite while it does not run. */
    entered: number
    /** Why the program was stopped, if it was. */
    interruption: string | undefined
  }

  const sandboxes = new Map<number, Sandbox>()

  const compiler = Reflect.get(globalThis, 'WebAssembly') as {
    compile(binary: Uint8Array): Promise<WebAssembly.Module>
  }
  async function loadEngine() {
    const { default: variant } = require('@jitl/quickjs-wasmfile-release-asyncify') as {
      default: QuickJSAsyncVariant
    }
    const core = require('quickjs-emscripten-core') as typeof QuickJs
    const binary = readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-asyncify/wasm'))
    const wasmModule = await compiler.compile(binary)
    return core.newQuickJSAsyncWASMModuleFromVariant(core.newVariant(variant, { wasmModule }))
  }
  const bigInteger = readFileSync(require.resolve('big-integer'), 'utf8')
  // Without native BigInt during setup, the library behaves as in geth, whose engine has none.
  const library = `(function (BigInt, module) { ${bigInteger}; return bigInt })(undefined, undefined)`

  function open(
    module: QuickJs.QuickJSAsyncWASMModule,
    id: number,
    { functions, frameFunctions }: Extract<Order, { work: 'open' }>,
  ): void {
    const context = module.newContext()
    const step: StepFacts = { results: {}, stack: [], isNewFrame: true }
    const sandbox: Sandbox = {
      context,
      step,
      frameFunctions,
      frameResults: new Map(),
      entered: Infinity,
      interruption: undefined,
    }
    sandboxes.set(id, sandbox)
    context.runtime.setMemoryLimit(limits.memoryBytes)
    context.runtime.setMaxStackSize(limits.stackBytes)
    context.runtime.setInterruptHandler(() => {
      if (performance.now() - sandbox.entered > limits.runMilliseconds) {
        sandbox.interruption ??= 'execution timeout'
      }
      return sandbox.interruption !== undefined
    })
    const host = hostOf(id, sandbox, functions)
    const make = evaluate(sandbox, prelude, 'prelude')
    const loadBigInt = context.newFunction('loadBigInt', () => {
      sandbox.entered = Infinity
      const bigInt = evaluate(sandbox, library, 'bigInt')
      sandbox.entered = performance.now()
      return bigInt
    })
    const start = unwrap(sandbox, context.callFunction(make, context.undefined, host, loadBigInt))
    context.setProp(context.global, 'start the tracer', start)
    for (const handle of [host, make, loadBigInt, start]) handle.dispose()
  }

  /** Evaluates a program that creates a tracer, and sets it up. Returns the names of its hooks. */
  function start(sandbox: Sandbox, program: string, config: string): string {
    const { context } = sandbox
    sandbox.entered = performance.now()
    const tracer = evaluate(sandbox, `(${program})`, '<eval>')
    const start = context.getProp(context.global, 'start the tracer')
    context.setProp(context.global, 'start the tracer', context.undefined)
    const parameter = context.newString(config)
    try {
      const names = unwrap(sandbox, context.callFunction(start, context.undefined, tracer, parameter))
      return textOf(sandbox, names) ?? ''
    } finally {
      for (const handle of [tracer, start, parameter]) handle.dispose()
    }
  }

  function call(sandbox: Sandbox, hook: string): string | undefined {
    sandbox.entered = performance.now()
    return textOf(sandbox, evaluate(sandbox, `globalThis['hooks of the tracer'].${hook}()`, '<eval>'))
  }

  function close(module: QuickJs.QuickJSAsyncWASMModule, id: number): void {
    const sandbox = sandboxes.get(id)
    sandboxes.delete(id)
    if (sandbox === undefined) return
    sandbox.entered = Infinity
    const { runtime } = sandbox.context
    sandbox.context.dispose()
    freeRuntime(module, runtime)
  }

  /**
   * Frees the runtime of a context, which the library does not do for asynchronous ones. Its own method forgets the
   * runtime first, and then fails to find it for the functions that are freed with it.
   */
  function freeRuntime(module: QuickJs.QuickJSAsyncWASMModule, runtime: QuickJSContext['runtime']): void {
    const callbacks = Reflect.get(module, 'callbacks') as { deleteRuntime(pointer: unknown): void }
    let freed: unknown
    callbacks.deleteRuntime = (pointer) => {
      freed = pointer
    }
    runtime.dispose()
    // The method of the class is in force again.
    Reflect.deleteProperty(callbacks, 'deleteRuntime')
    callbacks.deleteRuntime(freed)
  }

  function evaluate(sandbox: Sandbox, code: string, name: string): QuickJSHandle {
    return unwrap(sandbox, sandbox.context.evalCode(code, name))
  }

  function unwrap({ context, interruption }: Sandbox, result: ReturnType<QuickJSContext['evalCode']>) {
    if (!('error' in result) || result.error === undefined) return result.value
    const thrown: unknown = interruption === undefined ? context.dump(result.error) : undefined
    result.error.dispose()
    throw new Error(describeThrown(thrown))
  }

  function textOf({ context }: Sandbox, value: QuickJSHandle): string | undefined {
    const text = context.typeof(value) === 'string' ? context.getString(value) : undefined
    value.dispose()
    return text
  }

  /** Describes a thrown value like geth's engine, without its position. */
  function describeThrown(thrown: unknown): string {
    if (typeof thrown !== 'object' || thrown === null) return String(thrown)
    const { name, message } = thrown as { name?: unknown; message?: unknown }
    if (typeof message !== 'string') return JSON.stringify(thrown)
    return `${String(name)}: ${message.replace(/^'(.*)' is not defined$/, '$1 is not defined')}`
  }

  function hostOf(id: number, sandbox: Sandbox, functions: string[]): QuickJSHandle {
    const { context } = sandbox
    const host = context.newObject()
    const define = (name: string, work: (...handles: QuickJSHandle[]) => QuickJSHandle | undefined): void => {
      const handle = context.newFunction(name, (...handles) => work(...handles) ?? context.undefined)
      context.setProp(host, name, handle)
      handle.dispose()
    }
    define('interrupt', (message) => {
      sandbox.interruption ??= message === undefined ? '' : context.getString(message)
      return undefined
    })
    for (const name of functions) {
      define(name, (...handles) => {
        const { results } = sandbox.step
        if (name in results) return valueIn(context, results[name])
        const parameters = handles.map((handle) => argumentIn(context, handle))
        return valueIn(context, known(sandbox, name, parameters) ?? ask(id, sandbox, { name, parameters }))
      })
    }
    return host
  }

  /** Returns a stack item or a result of the current frame, if it is known without a question. */
  function known(sandbox: Sandbox, name: string, parameters: SandboxArgument[]): SandboxValue {
    if (name === 'peek') return sandbox.step.stack[Number(parameters[0])]?.toString()
    return sandbox.frameResults.get(name)
  }

  function ask(id: number, sandbox: Sandbox, { name, parameters }: Omit<Question, 'sandbox'>): SandboxValue {
    send({ sandbox: id, name, parameters })
    let message = receive()
    for (; !('value' in message) && !('interruption' in message); message = receive()) backlog.push(message)
    sandbox.entered = performance.now()
    if ('value' in message) {
      if (sandbox.frameFunctions.includes(name)) sandbox.frameResults.set(name, message.value)
      return message.value
    }
    // The program cannot catch the refusals of functions of this process.
    sandbox.interruption ??= message.interruption
    throw new Error(message.interruption)
  }

  /** Orders that arrived while a program waited for a reply. */
  const backlog: Order[] = []

  /** Blocks until a message arrives. The next step of a trace is there sooner than a sleeping thread would be awake. */
  function receive(): Order | Reply {
    for (;;) {
      const count = Atomics.load(counts, 0)
      const received = receiveMessageOnPort(port)
      if (received !== undefined) return received.message
      const end = performance.now() + limits.spinMilliseconds
      while (Atomics.load(counts, 0) === count && performance.now() < end);
      Atomics.wait(counts, 0, count)
    }
  }

  function send(message: Question | Outcome): void {
    port.postMessage(message)
    Atomics.add(counts, 1, 1)
    Atomics.notify(counts, 1)
  }

  function argumentIn(context: QuickJSContext, handle: QuickJSHandle): SandboxArgument {
    const type = context.typeof(handle)
    if (type === 'number') return context.getNumber(handle)
    if (type === 'string') return context.getString(handle)
    const lent = context.getArrayBuffer(handle)
    const bytes = lent.value.slice()
    lent.dispose()
    return bytes
  }

  function valueIn(context: QuickJSContext, value: SandboxValue): QuickJSHandle {
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
        return context.newArrayBuffer(value.buffer)
    }
  }

  function carryOut(module: QuickJs.QuickJSAsyncWASMModule, order: Order): string | undefined {
    if (order.work === 'open') return void open(module, order.sandbox, order)
    if (order.work === 'close') return void close(module, order.sandbox)
    const sandbox = sandboxes.get(order.sandbox)
    if (sandbox === undefined) throw new Error('no sandbox')
    let text: string | undefined
    try {
      if (order.work === 'start') text = start(sandbox, order.program, order.config)
      else {
        sandbox.step = order.facts ?? sandbox.step
        if (order.facts?.isNewFrame) sandbox.frameResults.clear()
        text = call(sandbox, order.hook)
      }
    } catch (error) {
      throw sandbox.interruption === undefined ? error : new Error(sandbox.interruption)
    } finally {
      sandbox.entered = Infinity
    }
    // A program may have caught its interruption and gone on.
    if (sandbox.interruption !== undefined) throw new Error(sandbox.interruption)
    return text
  }

  async function run(): Promise<void> {
    const engine = await loadEngine()
    for (;;) {
      const order = backlog.shift() ?? (receive() as Order)
      const { sandbox, work } = order
      try {
        const text = carryOut(engine, order)
        if (work !== 'close') send({ sandbox, text })
      } catch (error) {
        send({ sandbox, failure: error instanceof Error ? error.message : String(error) })
      }
    }
  }

  void run()
}
