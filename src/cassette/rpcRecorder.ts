import { RpcError } from '../rpc/errors.js'
import type { CassetteWriter } from './cassetteWriter.js'
import type { RecordedCall, RecordedOutcome } from './entry.js'
import { replayOutcome, type CassetteCall } from './rpcAnswer.js'
import { pinTag, tagOf, type RpcMatching } from './rpcMatching.js'
import { UpstreamError, type Upstream } from './upstream.js'

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
  /** Transactions sent so far: notifications are placed between them. */
  #sends = 0

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
  async answer(call: CassetteCall): Promise<unknown> {
    const { network, method, params } = call
    await this.#pinTag(call)
    const recorded = this.#matching.callOf(network, method, params, this.#writer.tagsOf(network))
    if (method.endsWith('_subscribe') && call.subscriptions !== undefined)
      return this.#subscribe(call, recorded)
    if (method.endsWith('_unsubscribe'))
      return call.subscriptions?.close(String((params as unknown[])[0])) ?? false
    const started = performance.now()
    const outcome = await this.#ask(call)
    if (method.startsWith('eth_send')) this.#sends++
    this.#writer.add(recorded, outcome, performance.now() - started)
    return replayOutcome(outcome)
  }

  async #ask({ network, method, params, transport }: CassetteCall): Promise<RecordedOutcome> {
    const pinned = pinTag(method, params, this.#writer.tagsOf(network))
    try {
      return await (transport === 'websocket'
        ? this.#upstream.callOverSocket(method, pinned)
        : this.#upstream.call(method, pinned))
    } catch (error) {
      throw error instanceof UpstreamError ? new UpstreamUnavailableError(error) : error
    }
  }

  async #subscribe(
    { method, params, subscriptions }: CassetteCall,
    recorded: RecordedCall,
  ): Promise<unknown> {
    const begun = this.#sends
    let nth: number | undefined
    let events = 0
    let push: ((result: unknown) => void) | undefined
    let before = performance.now()
    const early: unknown[] = []
    const pushed = (result: unknown): void => {
      if (nth === undefined || push === undefined) {
        early.push(result)
        return
      }
      const outcome = { event: ++events, sends: this.#sends - begun, result }
      this.#writer.addEvent(recorded, nth, outcome, performance.now() - before)
      before = performance.now()
      push(result)
    }
    try {
      const { outcome, end } = await this.#upstream.subscribe(method, params, pushed)
      nth = this.#writer.add(recorded, outcome, performance.now() - before)
      before = performance.now()
      if (!('result' in outcome)) return replayOutcome(outcome)
      return subscriptions!.open((target) => {
        push = target
        for (const result of early) pushed(result)
        return end
      })
    } catch (error) {
      throw error instanceof UpstreamError ? new UpstreamUnavailableError(error) : error
    }
  }

  /** Asks what a block tag stands for, where tags are pinned and this one is met for the first time. */
  async #pinTag({ network, method, params }: CassetteCall): Promise<void> {
    const tags = this.#writer.tagsOf(network)
    const tag = this.#matching.unknownTag(method, params, tags)
    if (tag === undefined || tagOf(method, params) === undefined) return
    const outcome = await this.#upstream.call('eth_getBlockByNumber', [tag, false])
    const number: unknown = 'result' in outcome && (outcome.result as { number?: unknown } | null)?.number
    if (typeof number === 'string') tags[tag] = number
  }
}
