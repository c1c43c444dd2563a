import type { MessagePort } from 'node:worker_threads'
import type * as QuickJs from 'quickjs-emscripten-core'
import type { QuickJSAsyncVariant, QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'

/** What a program may hand to a function of this process. */
export type SandboxArgument = number | string | Uint8Array
/** What a function of this process may hand to a program. */
export type SandboxValue = number | string | boolean | Uint8Array | undefined

/** What the thread of the engine is started with. */
export interface EngineSetup {
  /** URL of the module, beside which the libraries are. */
  url: string
  prelude: string
  /** Where answers to {@link Question}s arrive. */
  answers: MessagePort
  /** Its one number is 1 once an answer has arrived. */
  signal: Int32Array
  limits: {
    memoryBytes: number
    stackBytes: number
    /** Of a program's own work between two calls of functions of this process. */
    runMilliseconds: number
  }
}

/** What is asked of the thread; one at a time for each sandbox, each of which is a number. */
export type Order = { sandbox: number } & (
  | { work: 'open'; functions: string[] }
  | { work: 'start'; program: string; config: string }
  | { work: 'call'; hook: string; facts?: Readonly<Record<string, SandboxValue>> | undefined }
  | { work: 'close' }
)

/** The thread stands still until a function of the main thread has answered. */
export interface Question {
  sandbox: number
  name: string
  parameters: SandboxArgument[]
}

/** What a function gave, or why the program is to stop. */
export type Reply = { value: SandboxValue } | { interruption: string }

/** How an order came out: the text that was returned, or what the program has thrown. */
export type Outcome = { sandbox: number } & ({ text: string | undefined } | { failure: string })

/** Runs in the thread. It sees nothing of this module, since only its text gets there. */
export function serve(): void {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const { createRequire } = process.getBuiltinModule('node:module')
  const { parentPort, receiveMessageOnPort, workerData } = process.getBuiltinModule('node:worker_threads')
  // Node warns of ES modules that are required.
  process.removeAllListeners('warning')
  const { url, prelude, answers, signal, limits } = workerData as EngineSetup
  const require = createRequire(url)

  interface Sandbox {
    context: QuickJSContext
    /** What is known of the step without a question. */
    facts: Readonly<Record<string, SandboxValue>>
    /** When the program was last entered. */
    entered: number
    /** Why the program is stopped, once it is. */
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
  const engine = loadEngine()
  const bigInteger = readFileSync(require.resolve('big-integer'), 'utf8')
  // Large integers look as in geth, whose engine has none of its own, while the library is set up.
  const library = `(function (BigInt, module) { ${bigInteger}; return bigInt })(undefined, undefined)`

  function open(module: QuickJs.QuickJSAsyncWASMModule, id: number, functions: string[]): void {
    const context = module.newContext()
    const sandbox: Sandbox = { context, facts: {}, entered: Infinity, interruption: undefined }
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

  /** Evaluates a program that makes a tracer, and sets it up. Returns the names of its hooks. */
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

  function close(id: number): void {
    const sandbox = sandboxes.get(id)
    sandboxes.delete(id)
    if (sandbox === undefined) return
    sandbox.entered = Infinity
    sandbox.context.dispose()
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

  /** As geth's engine prints what was thrown, without the place. */
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
        if (name in sandbox.facts) return valueIn(context, sandbox.facts[name])
        const reply = ask({
          sandbox: id,
          name,
          parameters: handles.map((handle) => argumentIn(context, handle)),
        })
        sandbox.entered = performance.now()
        if ('value' in reply) return valueIn(context, reply.value)
        // A program cannot catch what a function of this process refuses.
        sandbox.interruption ??= reply.interruption
        throw new Error(reply.interruption)
      })
    }
    return host
  }

  function ask(question: Question): Reply {
    Atomics.store(signal, 0, 0)
    parentPort?.postMessage(question)
    Atomics.wait(signal, 0, 0)
    return (receiveMessageOnPort(answers) as { message: Reply }).message
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

  function obey(module: QuickJs.QuickJSAsyncWASMModule, order: Order): string | undefined {
    if (order.work === 'open') return void open(module, order.sandbox, order.functions)
    if (order.work === 'close') return void close(order.sandbox)
    const sandbox = sandboxes.get(order.sandbox)
    if (sandbox === undefined) throw new Error('no sandbox')
    let text: string | undefined
    try {
      if (order.work === 'start') text = start(sandbox, order.program, order.config)
      else {
        sandbox.facts = order.facts ?? sandbox.facts
        text = call(sandbox, order.hook)
      }
    } catch (error) {
      throw sandbox.interruption === undefined ? error : new Error(sandbox.interruption)
    } finally {
      sandbox.entered = Infinity
    }
    // A program may catch what stopped it, and go on; it is stopped all the same.
    if (sandbox.interruption !== undefined) throw new Error(sandbox.interruption)
    return text
  }

  parentPort?.on('message', (order: Order) => {
    const { sandbox, work } = order
    engine
      .then((module) => obey(module, order))
      .then(
        (text) => (work === 'close' ? undefined : parentPort.postMessage({ sandbox, text })),
        (error: Error) => parentPort.postMessage({ sandbox, failure: error.message }),
      )
  })
}
