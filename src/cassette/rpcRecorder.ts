import { RpcError } from '../rpc/errors.js'
import type { Result } from '../rpc/method.js'
import type { Subscriptions } from '../rpc/session.js'
import type { WirePiece } from '../rpc/wire.js'
import type { CassetteWriter } from './cassetteWriter.js'
import type { RecordedCall, RecordedOutcome } from './entry.js'
import {
  type CassetteCall,
  type RpcMatching,
  followsChain,
  isChange,
  pinTag,
  replayOutcome,
} from './rpcMatching.js'
import { subscriptionId } from './rpcPlayer.js'
import { type Upstream, UpstreamError } from './upstream.js'

/** The provider cannot be reached (-32603); nothing is recorded. */
class UpstreamUnavailableError extends RpcError {
  override readonly name = 'UpstreamUnavailableError'
  constructor(cause: UpstreamError) {
    super(-32603, cause.message, { cause, status: 502 })
  }
}

/** Passes JSON-RPC calls on to a provider and keeps their answers. */
export class RpcRecorder {
  readonly #writer: CassetteWriter
  readonly #matching: RpcMatching
  readonly #upstream: Upstream
  /** Calls so far that may have changed the chain: notifications are placed between them. */
  #changes = 0

  constructor(parts: { writer: CassetteWriter; matching: RpcMatching; upstream: Upstream }) {
    this.#writer = parts.writer
    this.#matching = parts.matching
    this.#upstream = parts.upstream
  }

  /**
   * Answers a call from the provider.
   *
   * @throws RpcError as the provider refused it, or if it cannot be reached
   */
  async answer(call: CassetteCall): Promise<Result> {
    const { network, method, params, subscriptions } = call
    if (method.endsWith('_unsubscribe') && subscriptions !== undefined) {
      return subscriptions.close(subscriptionId(params))
    }
    try {
      await this.#pinTag(call)
      const tags = this.#writer.tagsOf(network)
      const recorded = this.#matching.callOf(call, this.#matching.effectOf(method, params), tags)
      if (method.endsWith('_subscribe') && subscriptions !== undefined) {
        return await this.#subscribe(call, recorded, subscriptions)
      }
      const started = performance.now()
      const outcome = await this.#ask(call, pinTag(method, params, tags))
      if (isChange(method)) this.#changes++
      const after = followsChain(method, params) === undefined ? 0 : this.#changes
      this.#writer.add(recorded, outcome, performance.now() - started, after)
      return replayOutcome(outcome)
    } catch (error) {
      throw error instanceof UpstreamError ? new UpstreamUnavailableError(error) : error
    }
  }

  #ask({ method, transport }: CassetteCall, params: unknown): Promise<RecordedOutcome> {
    return transport === 'websocket'
      ? this.#upstream.callOverSocket(method, params)
      : this.#upstream.call(method, params)
  }

  async #subscribe(
    { method, params }: CassetteCall,
    recorded: RecordedCall,
    subscriptions: Subscriptions,
  ): Promise<Result> {
    const begun = this.#changes
    const opened: { nth?: number; push?: (payload: readonly WirePiece[]) => void } = {}
    let events = 0
    let before = performance.now()
    const early: unknown[] = []
    const pushed = (result: unknown): void => {
      const { nth, push } = opened
      if (nth === undefined || push === undefined) {
        early.push(result)
        return
      }
      const outcome = { event: ++events, changes: this.#changes - begun, result }
      this.#writer.addEvent(recorded, nth, outcome, performance.now() - before)
      before = performance.now()
      push([JSON.stringify(result)])
    }
    const { outcome, end } = await this.#upstream.subscribe(method, params, pushed)
    opened.nth = this.#writer.add(recorded, outcome, performance.now() - before, begun)
    before = performance.now()
    if (!('result' in outcome)) return replayOutcome(outcome)
    return subscriptions.open((target) => {
      opened.push = target
      for (const result of early) pushed(result)
      return end
    })
  }

  /** Asks what a block tag stands for, where tags are pinned and this one is met for the first time. */
  async #pinTag({ network, method, params }: CassetteCall): Promise<void> {
    const tag = this.#matching.unknownTag(method, params, this.#writer.tagsOf(network))
    if (tag === undefined) return
    const outcome = await this.#upstream.call('eth_getBlockByNumber', [tag, false])
    const number: unknown = 'result' in outcome && (outcome.result as { number?: unknown } | null)?.number
    if (typeof number === 'string') this.#writer.pinTag(network, tag, number)
  }
}
