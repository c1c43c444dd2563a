import type { ChainView } from '../../chain/view.js'
import { RpcError, ServerError } from '../../rpc/errors.js'
import type { GateCall } from '../../rpc/gate.js'
import type { Caller } from '../caller.js'
import { askPartner, isForwarded } from '../failover/partner.js'
import { effectsOf } from '../faults/effects.js'
import type { FaultHit } from '../faults/faultBook.js'
import type { FaultAction } from '../faults/faultSchema.js'
import type { Provider } from '../provider.js'
import { LaggingView } from '../views/laggingView.js'
import { PrunedView } from '../views/prunedView.js'
import type { CallPassage } from './callPassage.js'

/** What faults are applied to. */
export interface Disturbance {
  hits: readonly FaultHit[]
  call: GateCall
  caller: Caller
  /** Whether an outage of the network was declared. */
  isOut: boolean
  view: ChainView | undefined
}

/** The primary is down and nobody stands in for it (status and text are a choice of ours). */
class OutageError extends RpcError {
  override readonly name = 'OutageError'
  constructor(alone: boolean) {
    const refusal = { status: 503, contentType: 'text/plain; charset=utf-8', body: 'service unavailable\n' }
    super(-32000, 'service unavailable', { ...(alone && { refusal }) })
  }
}

/** Lets faults change a call's passage and the way of its answer. @returns the error that is answered instead */
export function applyFaults(
  provider: Provider,
  passage: CallPassage,
  disturbance: Disturbance,
): RpcError | undefined {
  const { hits, call, caller, view } = disturbance
  if (disturbance.isOut || hits.some(({ action }) => action.type === 'outage')) {
    const refusal = meetOutage(provider, passage, call, caller)
    if (refusal !== undefined) return refusal
  }
  if (call.context.transport === 'http') caller.effects = effectsOf(hits) ?? caller.effects
  let current = view
  for (const { action } of hits) {
    if (action.type === 'lag' && current !== undefined) current = new LaggingView(current, action.blocks)
    else if (action.type === 'missing-history' && current !== undefined) {
      current = new PrunedView(current, action.blocks)
    } else if (call.context.transport === 'websocket') disturbConnection(caller, action)
    const refusal = refusalOf(provider, action, call, caller)
    if (refusal !== undefined) return refusal
  }
  passage.view = current === view ? undefined : current
  return undefined
}

/** During an outage two methods go to the partner, where the plan has failover and the caller asked for it. */
function meetOutage(
  provider: Provider,
  passage: CallPassage,
  { method, params, batched, context }: GateCall,
  caller: Caller,
): RpcError | undefined {
  const plan = caller.key === undefined ? undefined : provider.quotas.planOf(caller.key)
  if (plan?.failover !== true || !caller.failover || !isForwarded(method)) {
    return new OutageError(!batched && context.transport === 'http')
  }
  passage.answeredBy = 'partner'
  if (context.transport === 'http') caller.answeredBy = 'partner'
  const url = provider.failoverUrl
  // Without a URL this node is its own partner: its chain answers.
  if (url !== undefined) passage.answer = () => askPartner(url, method, params)
  return undefined
}

function disturbConnection({ connection }: Caller, action: FaultAction): void {
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
  { batched, context }: GateCall,
  caller: Caller,
): RpcError | undefined {
  if (action.type === 'error') return new RpcError(action.code, action.message, { data: action.data })
  if (action.type === 'quota') return provider.quotas.refusal(caller.key, { of: 'plan', span: action.span })
  if (action.type !== 'status') return undefined
  const { status, body, contentType } = action
  const alone = !batched && context.transport === 'http'
  if (!alone) return new ServerError(body.trim() === '' ? `HTTP ${status}` : body.trim())
  return new RpcError(-32000, `HTTP ${status}`, { refusal: { status, body, contentType } })
}
