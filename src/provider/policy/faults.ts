import type { ChainView } from '../../chain/view.js'
import { RpcError, ServerError } from '../../rpc/errors.js'
import type { PolicyCall } from '../../rpc/callPolicy.js'
import type { JsonValue } from '../../rpc/wire.js'
import { type Refusal, refuse } from '../admission/refusal.js'
import type { Caller } from '../admission/admission.js'
import { type FaultRegistry, type FaultHit, delayOf, effectsOf, wait } from '../faults/faultRegistry.js'
import type { FaultAction } from '../faults/faultSchema.js'
import type { Provider } from '../provider.js'
import { LaggingView, PrunedView } from './views.js'
import type { ProviderCallRecord } from './callPolicy.js'

/** Context in which faults apply. */
export interface FaultContext {
  hits: readonly FaultHit[]
  call: PolicyCall
  caller: Caller
  /** Whether an outage of the network was declared. */
  isOut: boolean
  view: ChainView | undefined
}

/** The primary is down and there is no failover. Status and text are this project's own. */
class OutageError extends RpcError {
  override readonly name = 'OutageError'
  constructor(call: PolicyCall) {
    const refusal = { status: 503, contentType: 'text/plain; charset=utf-8', body: 'service unavailable\n' }
    super(-32000, 'service unavailable', { ...(isOnlyCall(call) && { refusal }) })
  }
}

/** Whether a call is alone in an HTTP request. The whole reply can then refuse it. */
export function isOnlyCall({ batched, context }: PolicyCall): boolean {
  return !batched && context.transport === 'http'
}

/** Applies faults to a call and the transfer of its answer. @returns the error that replaces the answer, if any */
export function applyFaults(
  provider: Provider,
  record: ProviderCallRecord,
  context: FaultContext,
): RpcError | undefined {
  const { hits, call, caller, view } = context
  if (context.isOut || hits.some(({ action }) => action.type === 'outage')) {
    const refusal = applyOutage(provider, record, call, caller)
    if (refusal !== undefined) return refusal
  }
  if (call.context.transport === 'http') caller.effects = effectsOf(hits) ?? caller.effects
  let current = view
  for (const { action } of hits) {
    if (action.type === 'lag' && current !== undefined) current = new LaggingView(current, action.blocks)
    else if (action.type === 'missing-history' && current !== undefined) {
      current = new PrunedView(current, action.blocks)
    } else if (call.context.transport === 'websocket') applyToConnection(caller, action)
    const refusal = refusalOf(provider, action, call, caller)
    if (refusal !== undefined) return refusal
  }
  record.view = current === view ? undefined : current
  return undefined
}

/** Handles an outage: two methods go to the partner, if the plan has failover and the caller requested it. */
function applyOutage(
  provider: Provider,
  record: ProviderCallRecord,
  call: PolicyCall,
  caller: Caller,
): RpcError | undefined {
  const { method, params, context } = call
  const plan = caller.key === undefined ? undefined : provider.quotas.planOf(caller.key)
  if (plan?.failover !== true || !caller.failover || !isForwarded(method)) {
    return new OutageError(call)
  }
  record.answeredBy = 'partner'
  if (context.transport === 'http') caller.answeredBy = 'partner'
  const url = provider.failoverUrl
  // Without a URL, this node is its own partner: its chain answers.
  if (url !== undefined) record.answer = () => callPartner(url, method, params)
  return undefined
}

function applyToConnection({ connection }: Caller, action: FaultAction): void {
  if (connection === undefined) return
  if (action.type === 'close-websocket') {
    if (action.frame) connection.close(action.code, action.reason)
    else connection.destroy()
  } else if (action.type === 'close' || action.type === 'cut') connection.destroy()
  else if (action.type === 'idle-close') connection.closeWhenIdle(action.milliseconds)
  else if (action.type === 'drop-events') connection.dropsEvents = true
}

function refusalOf(
  provider: Provider,
  action: FaultAction,
  call: PolicyCall,
  caller: Caller,
): RpcError | undefined {
  if (action.type === 'error') return new RpcError(action.code, action.message, { data: action.data })
  if (action.type === 'quota') return provider.quotas.refusal(caller.key, { of: 'plan', span: action.span })
  if (action.type !== 'status') return undefined
  const { status, body, contentType } = action
  if (!isOnlyCall(call)) return new ServerError(body.trim() === '' ? `HTTP ${status}` : body.trim())
  return new RpcError(-32000, `HTTP ${status}`, { refusal: { status, body, contentType } })
}

/** Methods that go to the partner during an outage. */
const forwarded: ReadonlySet<string> = new Set(['eth_estimateGas', 'eth_getProof'])

/** Whether the partner handles a method. */
function isForwarded(method: string): boolean {
  return forwarded.has(method)
}

/** Timeout of requests to the partner, in milliseconds. */
const TIMEOUT_MILLISECONDS = 30_000

/**
 * Forwards a call to the partner.
 *
 * @throws RpcError with the partner's error, or ServerError if it does not answer
 */
async function callPartner(url: string, method: string, params: unknown): Promise<JsonValue> {
  const answer = await fetchAnswer(url, method, params)
  if (isErrorAnswer(answer)) {
    const { code, message, data } = answer.error
    throw new RpcError(code, message, { data })
  }
  if (typeof answer !== 'object' || answer === null || !('result' in answer)) throw unreachable()
  return answer.result as JsonValue
}

async function fetchAnswer(url: string, method: string, params: unknown): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? [] }),
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    })
    return await response.json()
  } catch (cause) {
    throw unreachable(cause)
  }
}

function unreachable(cause?: unknown): ServerError {
  const error = new ServerError('failover partner is not available')
  if (cause !== undefined) error.cause = cause
  return error
}

function isErrorAnswer(
  answer: unknown,
): answer is { error: { code: number; message: string; data?: JsonValue | undefined } } {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return false
  const { error } = answer
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error
}

/** Effect of faults on an upgrade: none, a refusal, or a closed connection. */
export type UpgradeFault = Refusal | 'close' | undefined

/** Applies faults to an admitted WebSocket upgrade. */
export async function faultOfUpgrade(faults: FaultRegistry, { network, key }: Caller): Promise<UpgradeFault> {
  const hits = faults.meet({ network, key: key?.key, transport: 'upgrade' })
  const delay = delayOf(hits)
  if (delay > 0) await wait(delay)
  return hits.map(upgradeFaultOf).find((fault) => fault !== undefined)
}

function upgradeFaultOf({ action }: FaultHit): UpgradeFault {
  switch (action.type) {
    case 'status':
      return { status: action.status, headers: { 'content-type': action.contentType }, body: action.body }
    case 'quota':
      return action.span === 'day' ? refuse(402, 'Payment Required\n') : refuse(429, 'Too Many Requests\n')
    case 'outage':
      return refuse(503, 'service unavailable\n')
    case 'close':
    case 'cut':
    case 'close-websocket':
      return 'close'
    default:
      return undefined
  }
}
