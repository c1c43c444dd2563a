import { setImmediate } from 'node:timers'
import { RpcError } from '../../rpc/errors.js'
import type { JsonValue } from '../../rpc/wire.js'
import type { Caller } from '../admission/admission.js'
import type { ApiKey } from '../keys/apiKey.js'
import type { Plan } from '../plans/plan.js'
import { PENDING_SUBSCRIPTION_COST, subscriptionBlockCosts } from '../policy/callPolicy.js'
import type { QuotaClock } from './clock.js'
import { CreditMeter, FileMeter } from './meter.js'

/** Credits of an ordinary call, with which the legacy profile converts credits to requests. */
const DEFAULT_CALL_COST = 80

/** Seconds to wait, as advised by the legacy rate error. */
const RATE_BACKOFF = 30

/** Dependencies of quota accounts. */
export interface QuotaSettings {
  profile: QuotaProfile
  plans: Readonly<Record<string, Plan>>
  clock: QuotaClock
}

/** Credits spent and allowed per key. Keys without plan and limits of their own are never charged. */
export class QuotaAccounts {
  readonly #settings: QuotaSettings
  readonly #meters = new Map<string, CreditMeter>()
  readonly #fileMeters = new Map<string, FileMeter>()

  constructor(settings: QuotaSettings) {
    this.#settings = settings
  }

  planOf(key: ApiKey): Plan | undefined {
    return key.plan === undefined ? undefined : this.#settings.plans[key.plan]
  }

  /** Whether a key is charged at all. */
  isMetered({ plan, limits }: ApiKey): boolean {
    return plan !== undefined || limits.creditsPerDay !== undefined || limits.creditsPerSecond !== undefined
  }

  /** Takes a call's credits from the current second's, or returns an error if a limit is spent. */
  begin(key: ApiKey, credits: number): RpcError | undefined {
    const meter = this.meter(key)
    const spent = this.#spent(key, meter, credits)
    if (spent !== undefined) return this.refusal(key, spent)
    meter.begin(credits)
    return undefined
  }

  /** Charges credits. @returns whether they use up the plan's day */
  charge(key: ApiKey, credits: number): boolean {
    const meter = this.meter(key)
    const limits = { perDay: this.planOf(key)?.creditsPerDay, perSecond: undefined }
    const before = meter.isDaySpent(limits)
    meter.charge(credits)
    return !before && meter.isDaySpent(limits)
  }

  /** Returns the error for a spent limit, with current figures. */
  refusal(key: ApiKey | undefined, spent: Spent): RpcError {
    const meter = key === undefined ? undefined : this.meter(key)
    const perSecond =
      key === undefined ? undefined : (key.limits.creditsPerSecond ?? this.planOf(key)?.creditsPerSecond)
    return quotaRefusal(this.#settings.profile, spent, {
      allowedPerSecond: Math.max(1, Math.floor((perSecond ?? DEFAULT_CALL_COST) / DEFAULT_CALL_COST)),
      currentPerSecond: meter?.callsThisSecond ?? 0,
      backoff: spent.span === 'day' ? Math.ceil((meter?.untilTomorrow ?? 0) / 1000) : RATE_BACKOFF,
    })
  }

  meter(key: ApiKey): CreditMeter {
    let meter = this.#meters.get(key.key)
    if (meter === undefined) {
      meter = new CreditMeter(this.#settings.clock)
      this.#meters.set(key.key, meter)
    }
    return meter
  }

  fileMeter(key: ApiKey): FileMeter {
    let meter = this.#fileMeters.get(key.key)
    if (meter === undefined) {
      meter = new FileMeter(this.#settings.clock)
      this.#fileMeters.set(key.key, meter)
    }
    return meter
  }

  /** Removes a key's usage. */
  forget(key: string): void {
    this.#meters.delete(key)
    this.#fileMeters.delete(key)
  }

  /** Checks the plan's limits before the key's own. */
  #spent(key: ApiKey, meter: CreditMeter, credits: number): Spent | undefined {
    const plan = this.planOf(key)
    const ofPlan = { perDay: plan?.creditsPerDay, perSecond: plan?.creditsPerSecond }
    const ofKey = { perDay: key.limits.creditsPerDay, perSecond: key.limits.creditsPerSecond }
    if (meter.isDaySpent(ofPlan)) return { of: 'plan', span: 'day' }
    if (meter.isDaySpent(ofKey)) return { of: 'key', span: 'day' }
    if (meter.exceedsSecond(ofPlan, credits)) return { of: 'plan', span: 'second' }
    if (meter.exceedsSecond(ofKey, credits)) return { of: 'key', span: 'second' }
    return undefined
  }
}

/** Generation of the provider whose errors are used. */
export type QuotaProfile = 'current' | 'legacy'

/** The limit that is spent: the plan's or the key's own, of the day or the second. */
export interface Spent {
  of: 'plan' | 'key'
  span: 'day' | 'second'
}

/** Figures in the legacy error. */
export interface RateFacts {
  allowedPerSecond: number
  currentPerSecond: number
  /** Seconds to wait before retrying. */
  backoff: number
}

/** Link in the legacy error (our choice). */
const documentationUrl = 'https://standin.invalid/docs/quotas'

const keyAdvice = 'To make more requests with this key, review key setting configurations.'

/** The provider's texts; the one for a key's own daily limit is our choice. */
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

/** Credits are spent, with the current provider's message. Its error object has extra members. */
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

/** Too many requests, with the message that the provider used before credits. */
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
        see: documentationUrl,
      },
    })
  }
}

/** Returns the error for a call whose credits are spent. */
function quotaRefusal(profile: QuotaProfile, spent: Spent, rate: RateFacts): RpcError {
  if (profile === 'current') return new CreditsSpentError(spent)
  return spent.span === 'day'
    ? new RateExceededError('daily request count exceeded, request rate limited', rate)
    : new RateExceededError('project ID request rate exceeded', rate)
}

/** Close code when credits are spent (RFC 6455: policy violation). */
const POLICY_VIOLATION = 1008

const SECOND_MILLISECONDS = 1000

/** Open WebSockets, to charge their subscriptions and to close them when credits are spent. */
export class ConnectionRegistry {
  readonly #callers = new Set<Caller>()
  readonly #charge: (key: ApiKey, credits: number) => void
  #seconds: NodeJS.Timeout | undefined

  constructor(charge: (key: ApiKey, credits: number) => void) {
    this.#charge = charge
  }

  get size(): number {
    return this.#callers.size
  }

  /** Registers an open connection. */
  add(caller: Caller): void {
    this.#callers.add(caller)
    this.#seconds ??= setInterval(() => this.#chargeSecond(), SECOND_MILLISECONDS).unref()
  }

  /** Removes a closed connection. */
  remove(caller: Caller): void {
    this.#callers.delete(caller)
    if (this.#callers.size > 0) return
    clearInterval(this.#seconds)
    this.#seconds = undefined
  }

  /** Charges subscriptions for a new block of a network. */
  chargeBlock(network: string): void {
    for (const caller of this.#callers) {
      if (caller.network !== network) continue
      this.#chargeCaller(caller, (kind) => subscriptionBlockCosts[kind] ?? 0)
    }
  }

  /** Closes a key's connections, after the answers in progress have been written. */
  sever({ key }: ApiKey, reason = 'daily credit limit reached'): void {
    const severed = [...this.#callers].filter((caller) => caller.key?.key === key)
    setImmediate(() => {
      for (const { connection } of severed) connection?.close(POLICY_VIOLATION, reason)
    })
  }

  #chargeSecond(): void {
    for (const caller of this.#callers) {
      this.#chargeCaller(caller, (kind) =>
        kind === 'newPendingTransactions' ? PENDING_SUBSCRIPTION_COST : 0,
      )
    }
  }

  #chargeCaller({ key, subscriptions }: Caller, costOf: (kind: string) => number): void {
    if (key === undefined || subscriptions === undefined) return
    let credits = 0
    for (const kind of subscriptions.values()) credits += costOf(kind)
    if (credits > 0) this.#charge(key, credits)
  }
}
