import type { ChainView } from '../../chain/view.js'
import type { RpcError } from '../../rpc/errors.js'
import { MethodNotFoundError } from '../../rpc/errors.js'
import type { Gate, GateBatch, GateCall, Passage } from '../../rpc/gate.js'
import type { Caller } from '../caller.js'
import { createCaller } from '../caller.js'
import { delayOf, wait } from '../faults/effects.js'
import type { FaultHit } from '../faults/faultBook.js'
import type { Provider } from '../provider.js'
import { batchCost, costOf } from '../quota/costs.js'
import { refuseBySettings } from './allowlists.js'
import { CallPassage } from './callPassage.js'
import { ControlRefusedError } from './controlRefusedError.js'
import { applyFaults } from './faults.js'
import { hostedMethods } from './hostedMethods.js'

/** Methods that the provider itself adds; all of them are controls. */
const ownNamespace = 'standin_'

/** What a gate needs of the network that it stands before. */
export interface GatedNetwork {
  /** What views are wrapped around. */
  view: ChainView
  /** Names of the methods that drive the node rather than ask it. */
  controlMethods: ReadonlySet<string>
}

/** Stands before every call of one network: methods, allowlists, credits, faults; and tells the journal. */
export class ProviderGate implements Gate {
  readonly #provider: Provider
  readonly #network: string
  readonly #inProcess: Caller
  #view: ChainView | undefined
  #controlMethods: ReadonlySet<string> = new Set()

  constructor(provider: Provider, network: string) {
    this.#provider = provider
    this.#network = network
    this.#inProcess = createCaller(network)
  }

  /** Tells what the network has; called once, before the first call enters. */
  attach({ view, controlMethods }: GatedNetwork): void {
    this.#view = view
    this.#controlMethods = controlMethods
  }

  enter(call: GateCall): Passage | Promise<Passage> {
    const caller = this.#callerOf(call)
    const passage = new CallPassage(this.#provider, call, caller)
    const refusal = this.#refuse(call, caller)
    if (refusal !== undefined) throw passage.refuse(refusal)
    if (this.#provider.isUndisturbed(caller)) return passage
    const hits = this.#meetFaults(call, caller)
    const isOut = this.#provider.outages.has(this.#network)
    if (hits.length === 0 && !isOut) return passage
    return this.#disturb(passage, hits, { call, caller, isOut })
  }

  batch({ size, context }: GateBatch): void {
    const { usage, quotas } = this.#provider
    usage.addBatch(size)
    const key = (context.caller as Caller | undefined)?.key
    if (key !== undefined && quotas.isMetered(key)) this.#provider.charge(key, batchCost)
  }

  #callerOf({ context }: GateCall): Caller {
    return (context.caller as Caller | undefined) ?? this.#inProcess
  }

  #refuse({ method, params, batched, context }: GateCall, caller: Caller): RpcError | undefined {
    const { mode, quotas } = this.#provider
    if (caller.foreignOrigin && this.#isControl(method)) return new ControlRefusedError(method)
    if (context.transport === 'in-process' || caller.control) return undefined
    if (mode === 'strict' && !hostedMethods.has(method)) return new MethodNotFoundError(method)
    const { key } = caller
    if (key === undefined) return undefined
    const alone = !batched && context.transport === 'http'
    const refusal = refuseBySettings(caller, { method, params, alone })
    if (refusal !== undefined || !quotas.isMetered(key)) return refusal
    const spent = quotas.begin(key, costOf(method))
    if (spent !== undefined && context.transport === 'websocket') this.#provider.severIfSpent(key)
    return spent
  }

  #isControl(method: string): boolean {
    return this.#controlMethods.has(method) || method.startsWith(ownNamespace)
  }

  #meetFaults({ method, context: { transport } }: GateCall, caller: Caller): FaultHit[] {
    if (transport === 'in-process' || transport === 'ipc') return []
    const key = caller.key?.key
    return this.#provider.faults.meet({ network: this.#network, key, transport, method })
  }

  async #disturb(
    passage: CallPassage,
    hits: readonly FaultHit[],
    { call, caller, isOut }: { call: GateCall; caller: Caller; isOut: boolean },
  ): Promise<Passage> {
    passage.faults = hits.map(({ id }) => id)
    const delay = delayOf(hits)
    if (delay > 0) await wait(delay)
    const refusal = applyFaults(this.#provider, passage, { hits, call, caller, isOut, view: this.#view })
    if (refusal !== undefined) throw passage.refuse(refusal)
    return passage
  }
}
