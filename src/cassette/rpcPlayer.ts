import { setImmediate as turn } from 'node:timers/promises'
import { type Awaitable, TimeSlice, lanes, runWithin, turnIn, whenReady } from '../encoding/timeSlice.js'
import { RpcError } from '../rpc/errors.js'
import type { Result } from '../rpc/method.js'
import type { Subscriptions } from '../rpc/session.js'
import type { AnswerCounts } from './cassette.js'
import type { RecordedCall } from './entry.js'
import { describeMiss } from './nearest.js'
import type { RecordedAnswer, RecordedAnswers, TakenAnswer } from './recordedAnswers.js'
import {
  type AnswerCall,
  type CassetteCall,
  type RpcMatching,
  followsChain,
  isChange,
} from './rpcMatching.js'

/** The cassette has no answer to a call (-32000). */
class NotRecordedError extends RpcError {
  override readonly name = 'NotRecordedError'
  constructor(message: string) {
    super(-32000, message)
  }
}

/** What a cassette has for a call. */
interface FoundAnswer {
  /** The call as it is recorded. */
  recorded: RecordedCall
  /** Undefined if there is no answer. */
  taken: TakenAnswer | undefined
}

/** Answers JSON-RPC calls from a cassette. */
export class RpcPlayer {
  readonly #answers: RecordedAnswers
  readonly #matching: RpcMatching
  readonly #counts: AnswerCounts
  /** Calls so far that may have changed the chain: notifications are placed between them. */
  #changes = 0
  /** Answers over WebSockets so far: the end of one is placed between them. */
  #answered = 0
  readonly #onAnswer = new Set<() => void>()
  /** By batch: settles when the answers to its earlier calls were taken. */
  readonly #taking = new WeakMap<object, Promise<void>>()

  constructor(parts: { answers: RecordedAnswers; matching: RpcMatching; counts: AnswerCounts }) {
    this.#answers = parts.answers
    this.#counts = parts.counts
    this.#matching = parts.matching
  }

  /**
   * Replays the recorded answer to a call.
   *
   * @param missing - answers unrecorded calls; without it they are refused
   * @throws RpcError as recorded, or if nothing was recorded
   */
  answer(call: CassetteCall, missing?: AnswerCall): Awaitable<Result> {
    const { network, method, params, subscriptions, batch } = call
    const { reader } = this.#answers
    if (method.endsWith('_unsubscribe') && subscriptions !== undefined) {
      const isOpen = subscriptions.close(subscriptionId(params))
      return isOpen || missing === undefined ? isOpen : missing()
    }
    const effect = this.#matching.effectOf(method, params)
    const normalized = this.#matching.callOf(call, effect, reader.header.tags[network] ?? {})
    const follows = followsChain(method, params)
    const take = (): Awaitable<FoundAnswer> =>
      whenReady(runWithin(normalized, new TimeSlice()), (recorded) => {
        const answer =
          follows === undefined
            ? this.#answers.take(recorded, effect?.hash)
            : this.#answers.takeAt(recorded, this.#changes, follows)
        return whenReady(answer, (taken) => ({ recorded, taken }))
      })
    const found = batch === undefined ? take() : this.#takeInTurn(batch, take)
    return whenReady(found, ({ recorded, taken }) => {
      if (taken === undefined) return missing === undefined ? this.#refuse(recorded) : missing()
      this.#counts.replayed++
      return whenReady(this.#answers.delay(recorded, taken.place), () =>
        this.#deliver(recorded, taken, call, effect?.hash),
      )
    })
  }

  /** Takes the answers to a batch one after another, so that their order does not depend on how long each takes. */
  #takeInTurn<T>(batch: object, take: () => Awaitable<T>): Awaitable<T> {
    const taken = whenReady(this.#taking.get(batch), () =>
      whenReady(
        turnIn(() => lanes.reads),
        take,
      ),
    )
    if (taken instanceof Promise) this.#taking.set(batch, taken.then(ignore, ignore))
    return taken
  }

  async #refuse(recorded: RecordedCall): Promise<never> {
    this.#counts.refused++
    throw new NotRecordedError(await describeMiss(this.#answers.reader, recorded))
  }

  #deliver(
    recorded: RecordedCall,
    { answer }: TakenAnswer,
    { method, transport, subscriptions }: CassetteCall,
    hash: string | undefined,
  ): Awaitable<Result> {
    const { outcome } = answer.entry
    const isResult = 'resultText' in outcome
    if (isResult && method.endsWith('_subscribe') && subscriptions !== undefined) {
      return this.#subscribe(recorded, answer, subscriptions, method)
    }
    if (isResult && hash !== undefined) this.#matching.alias(hash, JSON.parse(outcome.resultText))
    const isChanging = isChange(method)
    if (isChanging) this.#changes++
    if (transport === 'websocket') this.#answered++
    if (isChanging || transport === 'websocket') for (const notify of this.#onAnswer) notify()
    return this.#matching.replay(outcome, subscriptions)
  }

  /**
   * Pushes the recorded events, each after as many changes as when it was recorded: counted since the subscription,
   * or in total where other callers made theirs before it this time.
   */
  #subscribe(
    recorded: RecordedCall,
    { entry: { nth, after = 0 }, events }: RecordedAnswer,
    subscriptions: Subscriptions,
    method: string,
  ): string {
    const [begun, answered] = [this.#changes, this.#answered]
    return subscriptions.open((push) => {
      let next = 0
      let isEnded = false
      let isAdvancing = false
      const advance = async (): Promise<void> => {
        if (isAdvancing) return
        isAdvancing = true
        // The answer must go out before the events that it causes.
        await turn()
        for (let event = events[next]; !isEnded && event !== undefined; event = events[next]) {
          if (event.changes > this.#changes - Math.min(begun, after)) break
          if ('close' in event && event.calls > this.#answered - answered) break
          await this.#answers.delay(recorded, nth, event.event)
          next++
          if ('close' in event) subscriptions.disconnect(event.close)
          else push((await this.#matching.resultFor(event.resultText)).pieces)
        }
        isAdvancing = false
      }
      const notify = (): void => void advance()
      this.#onAnswer.add(notify)
      notify()
      return () => {
        isEnded = true
        this.#onAnswer.delete(notify)
      }
    }, method)
  }
}

function ignore(): void {
  // The next call of the batch takes its answer whatever became of the one before.
}

/** Returns the id in a call that ends a subscription. */
export function subscriptionId(params: unknown): string {
  return String(Array.isArray(params) ? params[0] : undefined)
}
