import { type Awaitable, TimeSlice, runInSlices, whenReady } from '../encoding/timeSlice.js'
import { RpcError } from '../rpc/errors.js'
import type { Result } from '../rpc/method.js'
import type { Subscriptions } from '../rpc/session.js'
import type { WirePiece } from '../rpc/wire.js'
import type { CassetteWriter } from './cassetteWriter.js'
import { linePrefixInSteps } from './entry.js'
import {
  type CassetteCall,
  type RpcMatching,
  followsChain,
  isChange,
  pinTag,
  replayOutcome,
} from './rpcMatching.js'
import { subscriptionId } from './rpcPlayer.js'
import { type Upstream, type UpstreamEvent, UpstreamError } from './upstream.js'

/** The provider cannot be reached (-32603); nothing is recorded. */
class UpstreamUnavailableError extends RpcError {
  override readonly name = 'UpstreamUnavailableError'
  constructor(cause: UpstreamError) {
    super(-32603, cause.message, { cause, status: 502 })
  }
}

/** Forwards JSON-RPC calls to a provider and records its answers. */
export class RpcRecorder {
  readonly #writer: CassetteWriter
  readonly #matching: RpcMatching
  readonly #upstream: Upstream
  /** Calls so far that may have changed the chain: notifications are placed between them. */
  #changes = 0
  /** Answers over WebSockets so far: the end of one is placed between them. */
  #answered = 0

  constructor(parts: { writer: CassetteWriter; matching: RpcMatching; upstream: Upstream }) {
    this.#writer = parts.writer
    this.#matching = parts.matching
    this.#upstream = parts.upstream
  }

  /**
   * Answers a call from the provider.
   *
   * @throws RpcError with the provider's error, or if it cannot be reached
   */
  async answer(call: CassetteCall): Promise<Result> {
    const { network, method, params, subscriptions } = call
    if (method.endsWith('_unsubscribe') && subscriptions !== undefined) {
      return subscriptions.close(subscriptionId(params))
    }
    const slot = this.#upstream.join(call.batch, call.transport)
    try {
      await this.#pinTag(call)
      const tags = this.#writer.tagsOf(network)
      const slice = new TimeSlice()
      const effect = this.#matching.effectOf(method, params)
      const recorded = await runInSlices(this.#matching.callOf(call, effect, tags), slice)
      const prefix = await runInSlices(linePrefixInSteps(recorded), slice)
      if (method.endsWith('_subscribe') && subscriptions !== undefined) {
        return await this.#subscribe(call, prefix, subscriptions)
      }
      const started = performance.now()
      const outcome = await slot.send({ method, params: pinTag(method, params, tags) })
      if (isChange(method)) this.#changes++
      if (call.transport === 'websocket') this.#answered++
      const after = followsChain(method, params) === undefined ? 0 : this.#changes
      await this.#writer.add(prefix, outcome, performance.now() - started, after)
      return replayOutcome(outcome, subscriptions)
    } catch (error) {
      throw error instanceof UpstreamError ? new UpstreamUnavailableError(error) : error
    } finally {
      slot.leave()
    }
  }

  async #subscribe(
    { method, params }: CassetteCall,
    prefix: string,
    subscriptions: Subscriptions,
  ): Promise<Result> {
    const [changes, answered] = [this.#changes, this.#answered]
    const opened: { nth?: number; push?: (payload: readonly WirePiece[]) => void } = {}
    let events = 0
    let before = performance.now()
    /** Events are pushed in order once they are recorded. */
    let recorded: Awaitable<void>
    const early: UpstreamEvent[] = []
    const pushed = (what: UpstreamEvent): Awaitable<void> => {
      const { nth, push } = opened
      if (nth === undefined || push === undefined) {
        early.push(what)
        return undefined
      }
      const place = { event: ++events, changes: this.#changes - changes }
      const event =
        'close' in what ? { ...place, ...what, calls: this.#answered - answered } : { ...place, ...what }
      const milliseconds = performance.now() - before
      before = performance.now()
      recorded = whenReady(recorded, () =>
        whenReady(this.#writer.addEvent(prefix, nth, event, milliseconds), () => {
          if ('close' in what) subscriptions.disconnect(what.close)
          else push([what.resultText])
        }),
      )
      return recorded
    }
    const { outcome, end } = await this.#upstream.subscribe({ method, params }, pushed)
    opened.nth = await this.#writer.add(prefix, outcome, performance.now() - before, changes)
    before = performance.now()
    if (!('resultText' in outcome)) return replayOutcome(outcome, subscriptions)
    return subscriptions.open((target) => {
      opened.push = target
      for (const event of early) {
        const done = pushed(event)
        // What cannot be recorded ends the subscription.
        if (done instanceof Promise) done.catch(end)
      }
      return end
    }, method)
  }

  /** Resolves a block tag with the provider the first time it occurs, if tags are pinned. */
  async #pinTag({ network, method, params }: CassetteCall): Promise<void> {
    const tag = this.#matching.unknownTag(method, params, this.#writer.tagsOf(network))
    if (tag === undefined) return
    const outcome = await this.#upstream.call('eth_getBlockByNumber', [tag, false])
    const block = 'resultText' in outcome && (JSON.parse(outcome.resultText) as { number?: unknown } | null)
    const number: unknown = block !== false && block?.number
    if (typeof number === 'string') await this.#writer.pinTag(network, tag, number)
  }
}
