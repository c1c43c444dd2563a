import { RpcError } from '../../rpc/errors.js'
import type { JsonValue } from '../../rpc/json.js'

/** Which of the provider's generations refuses. */
export type QuotaProfile = 'current' | 'legacy'

/** What is spent: the plan's credits or the key's own, of the day or of the second. */
export interface Spent {
  of: 'plan' | 'key'
  span: 'day' | 'second'
}

/** Numbers that the legacy refusal tells. */
export interface RateFacts {
  allowedPerSecond: number
  currentPerSecond: number
  /** Seconds until it is worth trying again. */
  backoff: number
}

/** Where the legacy refusal sends its reader (a choice of ours). */
const seeUrl = 'https://standin.invalid/docs/quotas'

const keyAdvice = 'To make more requests with this key, review key setting configurations.'

/** The provider's texts; that of a key's own daily limit is a choice of ours. */
const details = {
  plan: {
    day:
      'You have reached your daily credit limit. To continue making requests, upgrade your plan or purchase ' +
      'additional credits',
    second:
      'You have surpassed your allowed throughput limit. Reduce the amount of requests per second or upgrade for ' +
      'more capacity.',
  },
  key: {
    day: `You have surpassed your user-defined key daily limit setting. ${keyAdvice}`,
    second: `You have surpassed your user-defined key throughput limit setting. ${keyAdvice}`,
  },
}

const events = { plan: { day: -33000, second: -33200 }, key: { day: -33400, second: -33300 } }

/** Credits are spent, in the words of today's provider. Its error object has members of its own. */
class CreditsSpentError extends RpcError {
  override readonly name = 'CreditsSpentError'
  readonly #spent: Spent

  constructor(spent: Spent) {
    const isPayment = spent.of === 'plan' && spent.span === 'day'
    const status = isPayment ? 402 : 429
    super(status, isPayment ? 'Payment Required' : 'Too Many Requests', { status })
    this.#spent = spent
  }

  override toObject(): JsonValue {
    const { of, span } = this.#spent
    return { code: this.code, event: events[of][span], message: this.message, details: details[of][span] }
  }
}

/** Requests are too many, in the words of the provider before credits. */
class RateExceededError extends RpcError {
  override readonly name = 'RateExceededError'

  constructor(message: string, rate: RateFacts) {
    super(-32005, message, {
      status: 429,
      data: {
        rate: {
          allowed_rps: rate.allowedPerSecond,
          backoff_seconds: rate.backoff,
          current_rps: rate.currentPerSecond,
        },
        see: seeUrl,
      },
    })
  }
}

/** The refusal of a call whose credits are spent. */
export function quotaRefusal(profile: QuotaProfile, spent: Spent, rate: RateFacts): RpcError {
  if (profile === 'current') return new CreditsSpentError(spent)
  return spent.span === 'day'
    ? new RateExceededError('daily request count exceeded, request rate limited', rate)
    : new RateExceededError('project ID request rate exceeded', rate)
}
