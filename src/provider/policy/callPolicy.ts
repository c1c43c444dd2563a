import type { ChainView } from '../../chain/view.js'
import { type Awaitable, nextTurn } from '../../encoding/timeSlice.js'
import type { RpcSettings } from '../../rpc/backend.js'
import type {
  BatchInfo,
  CallOutcome,
  CallPolicy,
  CallRecord,
  MalformedBody,
  PolicyCall,
} from '../../rpc/callPolicy.js'
import { LARGE_CALL } from '../../rpc/envelope/body.js'
import { MethodNotFoundError, type RefusalReply, RpcError } from '../../rpc/errors.js'
import type { Result } from '../../rpc/method.js'
import { pieceText } from '../../rpc/wire.js'
import { type Caller, createCaller } from '../admission/admission.js'
import { type Refusal, settingsRefuse, tokenInvalid } from '../admission/refusal.js'
import { type FaultHit, delayOf, wait } from '../faults/faultRegistry.js'
import {
  type JournalEntry,
  type RecordedRequest,
  cutText,
  isKeepableText,
  keepableParams,
  MAX_ANSWER,
  tooLarge,
} from '../journal/journal.js'
import type { Allowlists } from '../keys/apiKey.js'
import type { Provider } from '../provider.js'
import { applyFaults, isOnlyCall } from './faults.js'

/** Namespace of Standin's own methods, all of which are controls. */
const ownNamespace = 'standin_'

/** The parts of a network that its call policy needs. */
export interface PolicyNetwork {
  /** The view that faults wrap. */
  view: ChainView
  /** Names of methods that control the node rather than query it. */
  controlMethods: ReadonlySet<string>
}

/** Checks every call of one network against methods, allowlists, credits and faults, and records it in the journal. */
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

  /** Attaches the network. Call this once, before the first call enters. */
  attach({ view, controlMethods }: PolicyNetwork): void {
    this.#view = view
    this.#controlMethods = controlMethods
  }

  enter(call: PolicyCall): Awaitable<CallRecord> {
    const caller = this.#callerOf(call)
    const record = new ProviderCallRecord(this.#provider, call, caller)
    const refusal = this.#refuse(call, caller)
    if (refusal !== undefined) throw record.refuse(refusal)
    if (this.#provider.isFaultFree(caller)) return record
    const hits = this.#matchFaults(call, caller)
    const isOut = this.#provider.outages.has(this.#network)
    if (hits.length === 0 && !isOut) return record
    return this.#applyFaults(record, hits, { call, caller, isOut })
  }

  batch({ size, context }: BatchInfo): void {
    const { usage, quotas } = this.#provider
    usage.addBatch(size)
    const key = (context.caller as Caller | undefined)?.key
    if (key !== undefined && quotas.isMetered(key)) this.#provider.charge(key, BATCH_COST)
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

  #refuse(call: PolicyCall, caller: Caller): RpcError | undefined {
    const { method, params, context } = call
    const { mode, quotas } = this.#provider
    if (caller.foreignOrigin && this.#isControl(method)) return new ControlRefusedError(method)
    if (context.transport === 'in-process' || caller.control) return undefined
    if (mode === 'strict' && !hostedMethods.has(method)) return new MethodNotFoundError(method)
    const { key } = caller
    if (key === undefined) return undefined
    const refusal = refuseBySettings(caller, { method, params, isOnlyCall: isOnlyCall(call) })
    if (refusal !== undefined || !quotas.isMetered(key)) return refusal
    const spent = quotas.begin(key, costOf(method))
    if (spent !== undefined && context.transport === 'websocket') this.#provider.severIfSpent(key)
    return spent
  }

  #isControl(method: string): boolean {
    return this.#controlMethods.has(method) || method.startsWith(ownNamespace)
  }

  #matchFaults({ method, context: { transport } }: PolicyCall, caller: Caller): FaultHit[] {
    if (transport === 'in-process' || transport === 'ipc') return []
    const key = caller.key?.key
    return this.#provider.faults.meet({ network: this.#network, key, transport, method })
  }

  async #applyFaults(
    record: ProviderCallRecord,
    hits: readonly FaultHit[],
    { call, caller, isOut }: { call: PolicyCall; caller: Caller; isOut: boolean },
  ): Promise<CallRecord> {
    record.faults = hits.map(({ id }) => id)
    const delay = delayOf(hits)
    // Answers to earlier calls leave first, even if the fault closes the connection.
    await (delay > 0 ? wait(delay) : nextTurn())
    const refusal = applyFaults(this.#provider, record, { hits, call, caller, isOut, view: this.#view })
    if (refusal !== undefined) throw record.refuse(refusal)
    return record
  }
}

/** A page of a foreign origin called a control (our choice). */
class ControlRefusedError extends RpcError {
  override readonly name = 'ControlRefusedError'
  constructor(method: string) {
    super(-32002, `${method} is not available to web pages of this origin (see --allow-origin)`)
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

/** Methods of the hosted provider's documentation, the only ones in strict mode. */
const hostedMethods: ReadonlySet<string> = new Set([
  ...eth.map((name) => `eth_${name}`),
  ...['net_listening', 'net_peerCount', 'net_version', 'web3_clientVersion'],
  ...['trace_block', 'trace_call', 'trace_callMany', 'trace_filter', 'trace_transaction'],
  ...['debug_traceBlock', 'debug_traceBlockByHash', 'debug_traceBlockByNumber', 'debug_traceCall'],
  ...['debug_traceTransaction', 'debug_storageRangeAt'],
])

const METHOD_NOT_FOUND = -32601

/** A call in progress: the decisions about it, and the record of its outcome. */
export class ProviderCallRecord implements CallRecord {
  view: ChainView | undefined
  settings: Partial<RpcSettings> | undefined
  answer: (() => Promise<Result>) | undefined
  /** Set if the partner answers. */
  answeredBy: 'partner' | undefined
  /** Ids of the faults that hit. */
  faults: readonly string[] | undefined
  readonly #provider: Provider
  readonly #call: PolicyCall
  readonly #caller: Caller
  readonly #started = Date.now()

  constructor(provider: Provider, call: PolicyCall, caller: Caller) {
    this.#provider = provider
    this.#call = call
    this.#caller = caller
    this.settings = caller.key === undefined ? undefined : provider.rpcSettingsOf(caller.key)
  }

  done(outcome: CallOutcome): void {
    const { error } = outcome
    this.#account(error, outcome.bytes, outcome.milliseconds, this.answeredBy, answerText(outcome))
    if (this.#caller.subscriptions !== undefined && error === undefined) this.#noteSubscription(outcome)
  }

  /** Records a refused call. @returns the refusal */
  refuse(refusal: RpcError): RpcError {
    this.#account(refusal, 0, Date.now() - this.#started, 'policy')
    return refusal
  }

  #account(
    error: RpcError | undefined,
    bytes: number,
    milliseconds: number,
    answeredBy: JournalEntry['answeredBy'],
    answer?: string,
  ): void {
    if (this.#caller.unrecorded) return
    const { method, text, batched, context } = this.#call
    const isTextKept = text !== undefined && isKeepableText(text)
    const { key, keyLabel, network } = this.#caller
    const status = batched ? 200 : (error?.refusal?.status ?? error?.status ?? 200)
    const credits = creditsOf(method, error, status)
    const entry: RecordedRequest = {
      time: this.#started,
      network,
      transport: context.transport,
      method: cutText(method),
      params: isTextKept ? undefined : keptParams(this.#call),
      text: isTextKept ? text : undefined,
      status,
      milliseconds,
      credits,
      bytes,
    }
    if (keyLabel !== undefined) entry.key = keyLabel
    if (batched) entry.batched = true
    if (error !== undefined) entry.error = { code: error.code, message: cutText(error.message) }
    if (this.faults !== undefined) entry.faults = this.faults
    if (answeredBy !== undefined) entry.answeredBy = answeredBy
    if (answer !== undefined) entry.answer = answer
    this.#provider.account(entry, key)
  }

  /** Tracks a connection's subscriptions, which cost credits per block or second. */
  #noteSubscription({ result = [] }: CallOutcome): void {
    const { method, params } = this.#call
    const [first]: unknown[] = Array.isArray(params) ? params : []
    if (typeof first !== 'string') return
    if (method.endsWith('_unsubscribe')) this.#caller.subscriptions?.delete(first)
    if (method !== 'eth_subscribe') return
    const id: unknown = JSON.parse(pieceText(result))
    if (typeof id === 'string') this.#caller.subscriptions?.set(id, first)
  }
}

/**
 * Replies 402, 429 and 5xx are free; other 4xx have their own price. In a batch, whose status is 200, the error tells.
 */
function creditsOf(method: string, error: RpcError | undefined, status: number): number {
  if (status >= 500 || isForLackOfCredits(status)) return 0
  if (isForLackOfCredits(error?.status) || isForLackOfCredits(error?.code)) return 0
  if (status >= 400) return REFUSED_REQUEST_COST
  return error?.code === METHOD_NOT_FOUND ? UNKNOWN_METHOD_COST : costOf(method)
}

function isForLackOfCredits(status: number | undefined): boolean {
  return status === 402 || status === 429
}

/** Returns a call's answer as the journal stores it: the result, or the error's data. */
function answerText({ error, result, bytes }: CallOutcome): string | undefined {
  if (error !== undefined) {
    const { data } = error
    if (data === undefined || (typeof data === 'string' && data.length > MAX_ANSWER)) return undefined
    return keepableText(JSON.stringify(data))
  }
  return result === undefined || bytes > MAX_ANSWER ? undefined : pieceText(result)
}

function keepableText(text: string): string | undefined {
  return text.length <= MAX_ANSWER ? text : undefined
}

/** Returns parameters as the journal stores them, without examining those of a large call. */
function keptParams({ params, length }: PolicyCall): unknown {
  return length > LARGE_CALL ? tooLarge : keepableParams(params)
}

/** Credits of an unlisted method. */
const STANDARD_COST = 80

/** Credits of a nonexistent method. */
const UNKNOWN_METHOD_COST = 160

/** Credits of a whole request refused with a 4xx other than 402 and 429. */
export const REFUSED_REQUEST_COST = 5

/** Credits of a batch in addition to its items (our choice). */
const BATCH_COST = 80

/** Credits of methods that cost more or less than {@link STANDARD_COST}. */
const costGroups: readonly [credits: number, methods: readonly string[]][] = [
  [5, ['eth_chainId', 'net_version', 'net_listening', 'eth_syncing', 'eth_subscribe', 'eth_hashrate']],
  [5, ['eth_mining', 'eth_protocolVersion']],
  [10, ['eth_unsubscribe']],
  [140, ['eth_getFilterChanges']],
  [150, ['eth_getProof', 'eth_getTransactionByBlockHashAndIndex']],
  [150, ['eth_getTransactionByBlockNumberAndIndex', 'eth_getBlockTransactionCountByHash']],
  [150, ['eth_getBlockTransactionCountByNumber', 'eth_getUncleByBlockHashAndIndex']],
  [150, ['eth_getUncleByBlockNumberAndIndex', 'eth_getUncleCountByBlockHash']],
  [150, ['eth_getUncleCountByBlockNumber']],
  [255, ['eth_getLogs', 'eth_getFilterLogs']],
  [300, ['eth_estimateGas', 'eth_blobBaseFee']],
  [1000, ['eth_getBlockReceipts']],
]

const costs: ReadonlyMap<string, number> = new Map(
  costGroups.flatMap(([credits, methods]) => methods.map((method) => [method, credits] as const)),
)

/** Returns the credits of one call to a method. */
function costOf(method: string): number {
  const listed = costs.get(method)
  if (listed !== undefined) return listed
  if (method.startsWith('trace_')) return 300
  if (method.startsWith('debug_')) return 1000
  return STANDARD_COST
}

/** Credits of a subscription per block. */
export const subscriptionBlockCosts: Readonly<Record<string, number>> = { newHeads: 50, logs: 300 }

/** Credits of a pending-transactions subscription per second. */
export const PENDING_SUBSCRIPTION_COST = 200

/** The key's settings or token rules refuse a call. */
class SettingsRefusedError extends RpcError {
  override readonly name = 'SettingsRefusedError'
  constructor(message: string, refusal: RefusalReply | undefined) {
    super(-32002, message, { ...(refusal && { refusal }) })
  }
}

/** The parts of a call that settings check. If alone in an HTTP request, it is refused by a whole reply. */
export interface CheckedCall {
  method: string
  params: unknown
  isOnlyCall: boolean
}

/** Returns the refusal of a call by the key's allowlists or token rules, if any. */
function refuseBySettings(caller: Caller, call: CheckedCall): RpcError | undefined {
  const { key, claims } = caller
  if (key === undefined) return undefined
  if (key.token?.required === 'listed' && claims === undefined && isListed(key.token.lists, call)) {
    return refuse('invalid JWT', tokenInvalid, call)
  }
  if (caller.trusted) return undefined
  const methods = choose(claims?.methods, key.allowlists.methods)
  const addresses = choose(claims?.addresses, key.allowlists.addresses)
  const isAllowed =
    (methods.length === 0 || methods.includes(call.method)) &&
    (addresses.length === 0 || addressesOf(call)?.every((address) => addresses.includes(address)) !== false)
  return isAllowed ? undefined : refuse('rejected due to project ID settings', settingsRefuse, call)
}

/** A token's list replaces the key's, unless empty. */
function choose(claimed: readonly string[] | undefined, own: readonly string[]): readonly string[] {
  return claimed !== undefined && claimed.length > 0 ? claimed : own
}

function refuse(message: string, refusal: Refusal, { isOnlyCall }: CheckedCall): RpcError {
  const { status, body, headers } = refusal
  const reply = { status, body, contentType: headers['content-type'] ?? 'text/plain' }
  return new SettingsRefusedError(message, isOnlyCall ? reply : undefined)
}

function isListed(lists: Allowlists, call: CheckedCall): boolean {
  const addresses = addressesOf(call)
  return (
    lists.methods.includes(call.method) ||
    (addresses ?? []).some((address) => lists.addresses.includes(address))
  )
}

/** Position of the address, for methods that address lists apply to. */
const addressPlaces: Readonly<Record<string, 'to' | 'address' | 'first'>> = {
  eth_call: 'to',
  eth_estimateGas: 'to',
  eth_getLogs: 'address',
  eth_getBalance: 'first',
  eth_getCode: 'first',
  eth_getStorageAt: 'first',
  eth_getTransactionCount: 'first',
}

/**
 * Returns the lower-case addresses that a call concerns; undefined if address lists do not apply to its method. A call
 * without addresses, such as a log query for all contracts, counts as concerning one that is on no list (our choice).
 */
function addressesOf({ method, params }: CheckedCall): string[] | undefined {
  const place = Object.hasOwn(addressPlaces, method) ? addressPlaces[method] : undefined
  if (place === undefined) return undefined
  const first: unknown = Array.isArray(params) ? params[0] : undefined
  const value = place === 'first' ? first : memberOf(first, place)
  const values: unknown[] = Array.isArray(value) && value.length > 0 ? value : [value]
  return values.map((address) => (typeof address === 'string' ? address.toLowerCase() : ''))
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
