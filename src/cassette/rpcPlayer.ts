import { setImmediate as turn } from 'node:timers/promises'
import { RpcError } from '../rpc/errors.js'
import { callHash, type RecordedCall } from './entry.js'
import { describeMiss } from './nearest.js'
import type { RecordedAnswers, TakenAnswer } from './recordedAnswers.js'
import { replayOutcome, type CassetteCall, type CassetteSubscriptions } from './rpcAnswer.js'
import type { RpcMatching } from './rpcMatching.js'

/** The cassette has no answer to a call (-32000). */
class NotRecordedError extends RpcError {
  override readonly name = 'NotRecordedError'
  constructor(message: string) {
    super(-32000, message)
  }
}

/** Answers JSON-RPC calls from a cassette. */
export class RpcPlayer {
  readonly #answers: RecordedAnswers
  readonly #matching: RpcMatching
  /** Transactions sent so far: notifications are placed between them. */
  #sends = 0
  readonly #onSend = new Set<() => void>()

  constructor(parts: { answers: RecordedAnswers; matching: RpcMatching }) {
    this.#answers = parts.answers
    this.#matching = parts.matching
  }

  /**
   * The recorded answer to a call.
   *
   * @param missing - answers what was not recorded; without it such a call is refused
   * @throws RpcError as it was recorded, or if nothing was
   */
  async answer(call: CassetteCall, missing?: () => unknown): Promise<unknown> {
    const { network, method, params, subscriptions } = call
    const { reader, delays } = this.#answers
    if (method.endsWith('_unsubscribe') && subscriptions !== undefined) {
      return subscriptions.close(String((params as unknown[])[0]))
    }
    const recorded = this.#matching.callOf(network, method, params, reader.header.tags[network] ?? {})
    const taken = this.#answers.take(recorded)
    if (taken === undefined) {
      if (missing !== undefined) return missing()
      throw new NotRecordedError(describeMiss(reader, recorded))
    }
    await delays.wait({ call: callHash(recorded), place: taken.place })
    if (method.endsWith('_subscribe') && subscriptions !== undefined && 'result' in taken.entry.outcome) {
      return this.#subscribe(recorded, taken, subscriptions)
    }
    this.#recordSend(call, taken)
    return this.#matching.answerFor(replayOutcome(taken.entry.outcome))
  }

  #recordSend({ method, params }: CassetteCall, { entry: { outcome } }: TakenAnswer): void {
    if (!method.startsWith('eth_send') || !('result' in outcome)) return
    const effect = this.#matching.effectOf(method, params)
    const { result } = outcome
    const recorded: unknown =
      typeof result === 'object' && result !== null && 'transactionHash' in result
        ? result.transactionHash
        : result
    if (effect !== undefined && typeof recorded === 'string') this.#matching.alias(effect.hash, recorded)
    this.#sends++
    for (const told of this.#onSend) told()
  }

  /** Pushes what was pushed, each notification once as many transactions were sent as when it was recorded. */
  #subscribe(
    recorded: RecordedCall,
    { entry: { nth }, events: entries }: TakenAnswer,
    subscriptions: CassetteSubscriptions,
  ): string {
    const events = entries.flatMap(({ outcome }) => ('event' in outcome ? [outcome] : []))
    const begun = this.#sends
    return subscriptions.open((push) => {
      let next = 0
      let isEnded = false
      let isAdvancing = false
      const advance = async (): Promise<void> => {
        if (isAdvancing) return
        isAdvancing = true
        // The answer to the transaction goes out before what it brought about.
        await turn()
        for (let event = events[next]; !isEnded && event !== undefined; event = events[next]) {
          if (event.sends > this.#sends - begun) break
          await this.#answers.delays.wait({ call: callHash(recorded), place: nth, event: event.event })
          next++
          push(this.#matching.answerFor(event.result))
        }
        isAdvancing = false
      }
      const told = (): void => void advance()
      this.#onSend.add(told)
      told()
      return () => {
        isEnded = true
        this.#onSend.delete(told)
      }
    })
  }
}
