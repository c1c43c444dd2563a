import type { RequestContext } from '../../rpc/context.js'
import { MethodNotFoundError, RpcError } from '../../rpc/errors.js'
import type { CallOutcome, Gate, GateCall, Passage } from '../../rpc/gate.js'
import type { Caller } from '../caller.js'
import type { Mode } from '../door/door.js'
import { hostedMethods, isControlMethod } from './hostedMethods.js'

/** A call that has ended, for those who watch. */
export interface EndedCall {
  network: string
  method: string
  outcome: Pick<CallOutcome, 'error' | 'milliseconds'>
}

/** What the gate of one network goes by. */
export interface GateSettings {
  network: string
  mode: Mode
  /** Told of every call that ended with an error. */
  onFailure?: ((call: EndedCall) => void) | undefined
}

/** A web page of a foreign origin asked for a control (a choice of ours). */
class ControlRefusedError extends RpcError {
  override readonly name = 'ControlRefusedError'
  constructor(method: string) {
    super(-32002, `${method} is closed to web pages of this origin (see --allow-origin)`)
  }
}

/** Stands before every call of one network. */
export class ProviderGate implements Gate {
  readonly #settings: GateSettings

  constructor(settings: GateSettings) {
    this.#settings = settings
  }

  enter(call: GateCall): Passage {
    const refusal = this.#refusal(call)
    if (refusal !== undefined) {
      this.#failed(call.method, { error: refusal, milliseconds: 0 })
      throw refusal
    }
    return {
      done: (outcome) => {
        if (outcome.error !== undefined) this.#failed(call.method, outcome)
      },
    }
  }

  #refusal({ method, context }: GateCall): RpcError | undefined {
    const caller = callerOf(context)
    if (caller === undefined) return undefined
    if (caller.foreignOrigin && isControlMethod(method)) return new ControlRefusedError(method)
    const isHidden = this.#settings.mode === 'strict' && !caller.control && !hostedMethods.has(method)
    return isHidden ? new MethodNotFoundError(method) : undefined
  }

  #failed(method: string, outcome: EndedCall['outcome']): void {
    this.#settings.onFailure?.({ network: this.#settings.network, method, outcome })
  }
}

/** What the door found out about the caller; undefined for calls in process. */
function callerOf(context: RequestContext): Caller | undefined {
  return context.caller as Caller | undefined
}
