import type { Backend, RpcSettings } from './backend.js'
import { toRpcError } from './chainErrors.js'
import type { RequestContext } from './context.js'
import { InternalError, MethodNotFoundError, NotificationsUnsupportedError, RpcError } from './errors.js'
import type { Gate, Passage } from './gate.js'
import { printJson, type JsonValue } from './json.js'
import type { Method, Result } from './method.js'
import type { FilterStore } from './subscriptions/filterStore.js'
import { countBytes, WireBytes, type WirePiece } from './wire.js'

/** How a call ended: with the pieces of its result, or with an error. */
export type Outcome = { result: readonly WirePiece[] } | { error: RpcError }

/** One call to carry out. */
export interface CallRequest {
  method: string
  /** Undecoded. */
  params: unknown
  /** The JSON text that the call was read from; undefined in a batch and in process. */
  text: string | undefined
  batched: boolean
  /** Whether its text is so long that its parameters are decoded in turns with other requests. */
  isLarge: boolean
  context: RequestContext
}

/** Where the cause of an InternalError is reported. */
export type ReportFault = (method: string, fault: unknown) => void

/** What calls are carried out with. */
export interface ExecutionSetup {
  methods: ReadonlyMap<string, Method>
  backend: Backend
  filters: FilterStore
  gate?: Gate | undefined
  report: ReportFault
}

/** Longest method name that is looked up, in bytes (geth: rpc/handler.go). */
const maxMethodNameLength = 2048

/**
 * Carries calls out: through the gate, to the method, and back as wire bytes. This is the only place that catches what
 * methods throw. A call whose method answers at once is answered at once: there is no promise on its way.
 */
export class CallExecutor {
  readonly #setup: ExecutionSetup

  constructor(setup: ExecutionSetup) {
    this.#setup = setup
  }

  execute(request: CallRequest): Outcome | Promise<Outcome> {
    const { gate } = this.#setup
    if (gate === undefined) return this.#invoke(request, undefined)
    const started = performance.now()
    const refused = (error: unknown): Outcome => this.#failure(request.method, error)
    try {
      const passage = gate.enter(request)
      if (!(passage instanceof Promise)) return this.#passThrough(request, passage, started)
      return passage.then((opened) => this.#passThrough(request, opened, started)).catch(refused)
    } catch (error) {
      return refused(error)
    }
  }

  #passThrough(request: CallRequest, passage: Passage, started: number): Outcome | Promise<Outcome> {
    const outcome = this.#invoke(request, passage)
    if (passage.done === undefined) return outcome
    const tell = (ended: Outcome): Outcome => {
      passage.done?.({
        error: 'error' in ended ? ended.error : undefined,
        result: 'result' in ended ? ended.result : undefined,
        bytes: outcomeBytes(ended),
        milliseconds: performance.now() - started,
      })
      return ended
    }
    return outcome instanceof Promise ? outcome.then(tell) : tell(outcome)
  }

  #invoke(request: CallRequest, passage: Passage | undefined): Outcome | Promise<Outcome> {
    try {
      const result = passage?.answer === undefined ? this.#run(request, passage) : passage.answer()
      if (!(result instanceof Promise)) return success(result)
      return result.then(success).catch((error: unknown) => this.#failure(request.method, error))
    } catch (error) {
      return this.#failure(request.method, error)
    }
  }

  #run(request: CallRequest, passage: Passage | undefined): Result | Promise<Result> {
    const { filters, report } = this.#setup
    const backend = withSettings(this.#setup.backend, passage?.settings)
    const view = passage?.view ?? backend.chain
    const { context, params, isLarge } = request
    return this.#method(request).invoke({ view, backend, filters, context, isLarge, report }, params)
  }

  #method({ method: name, context }: CallRequest): Method {
    // A character has at most three bytes: names of usual length are not counted.
    if (name.length * 3 > maxMethodNameLength && Buffer.byteLength(name) > maxMethodNameLength) {
      throw new RpcError(-32600, `method name too long: ${Buffer.byteLength(name)} > ${maxMethodNameLength}`)
    }
    if (name.endsWith('_subscribe') && context.subscriptions === undefined) {
      throw new NotificationsUnsupportedError()
    }
    const method = this.#setup.methods.get(name)
    if (method === undefined) throw new MethodNotFoundError(name)
    return method
  }

  #failure(method: string, thrown: unknown): Outcome {
    const error = this.#worded(thrown)
    if (error instanceof InternalError) this.#setup.report(method, error.cause)
    return { error }
  }

  /** A fault in the wording itself is answered too: whoever called waits for something. */
  #worded(thrown: unknown): RpcError {
    try {
      return toRpcError(thrown, this.#setup.backend.settings.habits.words)
    } catch (fault) {
      return new InternalError(fault)
    }
  }
}

function withSettings(backend: Backend, settings: Partial<RpcSettings> | undefined): Backend {
  return settings === undefined ? backend : { ...backend, settings: { ...backend.settings, ...settings } }
}

function success(result: Result): Outcome {
  return { result: result instanceof WireBytes ? result.pieces : [printJson(result)] }
}

/** Bytes of the result or of the error object. */
export function outcomeBytes(outcome: Outcome): number {
  if ('result' in outcome) return countBytes(outcome.result)
  const object: JsonValue = outcome.error.toObject()
  return Buffer.byteLength(printJson(object))
}
