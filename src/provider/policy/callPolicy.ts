import type { ChainView } from '../../chain/view.js'
import { nextTurn } from '../../encoding/timeSlice.js'
import { MethodNotFoundError, RpcError } from '../../rpc/errors.js'
import type { BatchInfo, CallPolicy, CallRecord, MalformedBody, PolicyCall } from '../../rpc/callPolicy.js'
import { type Caller, createCaller } from '../caller.js'
import { type FaultHit, delayOf, wait } from '../faults/faultRegistry.js'
import type { Provider } from '../provider.js'
import { batchCost, costOf } from '../quota/costs.js'
import { refuseBySettings } from './allowlists.js'
import { ProviderCallRecord } from './callRecord.js'
import { applyFaults } from './faults.js'

/** Methods that the provider itself adds; all of them are controls. */
const ownNamespace = 'standin_'

/** What a call policy needs of its network. */
export interface PolicyNetwork {
  /** What views are wrapped around. */
  view: ChainView
  /** Names of the methods that drive the node rather than ask it. */
  controlMethods: ReadonlySet<string>
}

/** Stands before every call of one network: methods, allowlists, credits, faults; and tells the journal. */
export class ProviderCallPolicy implements CallPolicy {
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
  attach({ view, controlMethods }: PolicyNetwork): void {
    this.#view = view
    this.#controlMethods = controlMethods
  }

  enter(call: PolicyCall): CallRecord | Promise<CallRecord> {
    const caller = this.#callerOf(call)
    const record = new ProviderCallRecord(this.#provider, call, caller)
    const refusal = this.#refuse(call, caller)
    if (refusal !== undefined) throw record.refuse(refusal)
    if (this.#provider.isUndisturbed(caller)) return record
    const hits = this.#meetFaults(call, caller)
    const isOut = this.#provider.outages.has(this.#network)
    if (hits.length === 0 && !isOut) return record
    return this.#disturb(record, hits, { call, caller, isOut })
  }

  batch({ size, context }: BatchInfo): void {
    const { usage, quotas } = this.#provider
    usage.addBatch(size)
    const key = (context.caller as Caller | undefined)?.key
    if (key !== undefined && quotas.isMetered(key)) this.#provider.charge(key, batchCost)
  }

  malformed({ context, error: { code, message } }: MalformedBody): void {
    this.#provider.record(this.#callerOf({ context }), context.transport, {
      status: 200,
      error: { code, message },
    })
  }

  #callerOf({ context }: Pick<PolicyCall, 'context'>): Caller {
    return (context.caller as Caller | undefined) ?? this.#inProcess
  }

  #refuse({ method, params, batched, context }: PolicyCall, caller: Caller): RpcError | undefined {
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

  #meetFaults({ method, context: { transport } }: PolicyCall, caller: Caller): FaultHit[] {
    if (transport === 'in-process' || transport === 'ipc') return []
    const key = caller.key?.key
    return this.#provider.faults.meet({ network: this.#network, key, transport, method })
  }

  async #disturb(
    record: ProviderCallRecord,
    hits: readonly FaultHit[],
    { call, caller, isOut }: { call: PolicyCall; caller: Caller; isOut: boolean },
  ): Promise<CallRecord> {
    record.faults = hits.map(({ id }) => id)
    const delay = delayOf(hits)
    // Answers to what came before leave first, also where the fault is the end of the connection.
    await (delay > 0 ? wait(delay) : nextTurn())
    const refusal = applyFaults(this.#provider, record, { hits, call, caller, isOut, view: this.#view })
    if (refusal !== undefined) throw record.refuse(refusal)
    return record
  }
}

/** A web page of a foreign origin asked for a control (a choice of ours). */
export class ControlRefusedError extends RpcError {
  override readonly name = 'ControlRefusedError'
  constructor(method: string) {
    super(-32002, `${method} is closed to web pages of this origin (see --allow-origin)`)
  }
}

const eth = [
  ...['accounts', 'blobBaseFee', 'blockNumber', 'call', 'chainId', 'createAccessList', 'estimateGas'],
  ...['feeHistory', 'gasPrice', 'getBalance', 'getBlockByHash', 'getBlockByNumber', 'getBlockReceipts'],
  ...['getBlockTransactionCountByHash', 'getBlockTransactionCountByNumber', 'getCode', 'getLogs', 'getProof'],
  ...['getStorageAt', 'getTransactionByBlockHashAndIndex', 'getTransactionByBlockNumberAndIndex'],
  ...['getTransactionByHash', 'getTransactionCount', 'getTransactionReceipt'],
  ...['getUncleByBlockHashAndIndex', 'getUncleByBlockNumberAndIndex', 'getUncleCountByBlockHash'],
  ...[
    'getUncleCountByBlockNumber',
    'getWork',
    'hashrate',
    'maxPriorityFeePerGas',
    'mining',
    'protocolVersion',
  ],
  ...['sendRawTransaction', 'simulateV1', 'submitWork', 'syncing', 'subscribe', 'unsubscribe', 'newFilter'],
  ...['newBlockFilter', 'getFilterChanges', 'getFilterLogs', 'uninstallFilter'],
]

/** The methods of the hosted provider's documentation: all there is in strict mode. */
export const hostedMethods: ReadonlySet<string> = new Set([
  ...eth.map((name) => `eth_${name}`),
  ...['net_listening', 'net_peerCount', 'net_version', 'web3_clientVersion'],
  ...['trace_block', 'trace_call', 'trace_callMany', 'trace_filter', 'trace_transaction'],
  ...['debug_traceBlock', 'debug_traceBlockByHash', 'debug_traceBlockByNumber', 'debug_traceCall'],
  ...['debug_traceTransaction', 'debug_storageRangeAt'],
])
