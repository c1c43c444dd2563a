import type { ChainView } from '../../chain/view.js'
import type { RpcSettings } from '../../rpc/backend.js'
import type { RpcError } from '../../rpc/errors.js'
import type { CallOutcome, PolicyCall, CallRecord } from '../../rpc/callPolicy.js'
import type { Result } from '../../rpc/method.js'
import { joinPieces } from '../../rpc/wire.js'
import type { Caller } from '../caller.js'
import {
  type JournalEntry,
  type RecordedRequest,
  cutText,
  isKeepableText,
  keepableParams,
  maxAnswer,
  tooLarge,
} from '../journal/entry.js'
import type { Provider } from '../provider.js'
import { costOf, refusedRequestCost, unknownMethodCost } from '../quota/costs.js'

const methodNotFound = -32601

/** One call on its way: what was decided about it, and the account of how it ended. */
export class ProviderCallRecord implements CallRecord {
  view: ChainView | undefined
  settings: Partial<RpcSettings> | undefined
  answer: (() => Promise<Result>) | undefined
  /** Set where the partner answers. */
  answeredBy: 'partner' | undefined
  /** Ids of the faults that were met. */
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

  /** Accounts for a call that is refused. @returns the refusal */
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

  /** Remembers what a connection subscribed to: blocks and seconds cost credits then. */
  #noteSubscription({ result = [] }: CallOutcome): void {
    const { method, params } = this.#call
    const [first]: unknown[] = Array.isArray(params) ? params : []
    if (typeof first !== 'string') return
    if (method === 'eth_unsubscribe') this.#caller.subscriptions?.delete(first)
    if (method !== 'eth_subscribe') return
    const id: unknown = JSON.parse(joinPieces(result).toString('utf8'))
    if (typeof id === 'string') this.#caller.subscriptions?.set(id, first)
  }
}

/** Replies 402, 429 and 5xx are free, other 4xx have a price of their own. */
function creditsOf(method: string, error: RpcError | undefined, status: number): number {
  if (status === 402 || status === 429 || status >= 500 || error?.code === 402 || error?.code === 429)
    return 0
  if (status >= 400) return refusedRequestCost
  return error?.code === methodNotFound ? unknownMethodCost : costOf(method)
}

/** What a call answered as the journal keeps it: the result, or the data of the error. */
function answerText({ error, result, bytes }: CallOutcome): string | undefined {
  if (error !== undefined)
    return error.data === undefined ? undefined : keepableText(JSON.stringify(error.data))
  return result === undefined || bytes > maxAnswer ? undefined : joinPieces(result).toString('utf8')
}

function keepableText(text: string): string | undefined {
  return text.length <= maxAnswer ? text : undefined
}

/** Parameters as the journal keeps them; those of a large call need not be looked at. */
function keptParams({ params, isLarge }: PolicyCall): unknown {
  return isLarge ? tooLarge : keepableParams(params)
}
