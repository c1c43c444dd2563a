import type { ChainEvent } from '../chain/reader.js'
import { type Awaitable, whenReady } from '../encoding/timeSlice.js'
import type { RpcSettings } from '../rpc/backend.js'
import {
  AdmissionControl,
  type AdmissionResult,
  type Caller,
  type Mode,
  type RefusedRequest,
  type RpcAdmissionRequest,
} from './admission/admission.js'
import { ConfigurationError } from './configuration.js'
import { FaultRegistry } from './faults/faultRegistry.js'
import { scenarios } from './faults/scenarios.js'
import {
  Journal,
  type JournalEntry,
  type JournalTransport,
  type RecordedRequest,
  entryOf,
} from './journal/journal.js'
import { Usage } from './journal/usage.js'
import { type ApiKey, KeyStore } from './keys/apiKey.js'
import { standardNetwork } from './networks.js'
import { type Plan, knownPlans } from './plans/plan.js'
import { REFUSED_REQUEST_COST } from './policy/callPolicy.js'
import { faultOfUpgrade } from './policy/faults.js'
import { ConnectionRegistry, QuotaAccounts, type QuotaProfile } from './quota/accounts.js'
import { QuotaClock } from './quota/clock.js'

/** Settings of a provider; all but the mode have defaults. */
export interface ProviderSettings {
  mode: Mode
  keys?: readonly ApiKey[]
  /** Plans that extend or replace the known ones. */
  plans?: Readonly<Record<string, Plan>>
  quotaProfile?: QuotaProfile
  /** Origins of pages admitted like loopback ones; `*` means all. */
  allowedOrigins?: readonly string[]
  /** Whether the file network requires no credentials in guarded mode. */
  filesWithoutCredentials?: boolean
  /** Maximum number of requests in the journal. */
  journalSize?: number
  /** Seed of random faults. */
  seed?: number
  /** Partner during outages; this node itself by default. */
  failoverUrl?: string | undefined
  /** Called with every failed request. */
  onFailure?: ((entry: Omit<JournalEntry, 'id'>) => void) | undefined
}

/** Limits of transports: bytes, and items of a batch. */
export type TransportLimits = Pick<ApiKey['limits'], 'maxBody' | 'maxBatch' | 'maxMessage' | 'maxUpload'>

/** An admitted caller with the limits of its key or plan, or the refusal. */
export type RpcAdmission =
  | { caller: Caller; limits: TransportLimits; refusal?: undefined }
  | Exclude<AdmissionResult<Caller>, { caller: Caller }>

/** The hosted provider's features: keys, plans, quotas, faults, the journal, and admission. */
export class Provider {
  readonly mode: Mode
  readonly keys: KeyStore
  readonly plans: Readonly<Record<string, Plan>>
  readonly clock = new QuotaClock()
  readonly quotas: QuotaAccounts
  readonly connections: ConnectionRegistry
  readonly faults: FaultRegistry
  readonly journal: Journal
  readonly usage = new Usage()
  readonly admission: AdmissionControl
  readonly failoverUrl: string | undefined
  /** Names of networks whose primary is declared down. */
  readonly outages = new Set<string>()
  readonly #onFailure: ProviderSettings['onFailure']

  constructor(settings: ProviderSettings) {
    this.mode = settings.mode
    this.keys = new KeyStore(settings.keys ?? [])
    this.plans = { ...knownPlans, ...settings.plans }
    this.quotas = new QuotaAccounts({
      profile: settings.quotaProfile ?? 'current',
      plans: this.plans,
      clock: this.clock,
    })
    this.connections = new ConnectionRegistry((key, credits) => this.charge(key, credits))
    this.faults = new FaultRegistry({ seed: settings.seed ?? 1 })
    this.journal = new Journal({ capacity: settings.journalSize ?? 10_000 })
    this.failoverUrl = settings.failoverUrl
    this.#onFailure = settings.onFailure
    this.admission = new AdmissionControl({
      mode: settings.mode,
      keys: this.keys,
      keyLabels: this.journal.keyLabels,
      allowedOrigins: settings.allowedOrigins ?? [],
      filesWithoutCredentials: settings.filesWithoutCredentials ?? false,
      secretOverridesAllowlists: (key) => this.quotas.planOf(key)?.secretOverridesAllowlists ?? true,
      onRefusal: (refused) => this.#refused(refused),
    })
  }

  /** Admits or refuses a JSON-RPC request. */
  admitRpc(request: RpcAdmissionRequest): Awaitable<RpcAdmission> {
    return whenReady(this.admission.admitRpc(request), (admission) => {
      if (admission.refusal !== undefined) return admission
      const { caller } = admission
      return { caller, limits: this.limitsOf(caller.key) }
    })
  }

  /** Admits or refuses a WebSocket upgrade, or closes its connection if a fault says so. */
  async admitUpgrade(request: RpcAdmissionRequest): Promise<RpcAdmission | { refusal: 'close' }> {
    const admission = await this.admitRpc(request)
    if (admission.refusal !== undefined) return admission
    const { caller } = admission
    const fault = this.isFaultFree(caller) ? undefined : await faultOfUpgrade(this.faults, caller)
    if (fault === undefined) return admission
    if (fault !== 'close') this.record(caller, 'upgrade', { status: fault.status })
    return { refusal: fault }
  }

  /** Charges subscriptions. Call this with every event of a network's chain. */
  handleEvent(network: string, event: ChainEvent): void {
    if (event.type === 'head') this.connections.chargeBlock(network)
  }

  /** Whether neither faults nor outages can affect a caller, so that they need not be checked. */
  isFaultFree(caller: Caller): boolean {
    return (this.faults.isEmpty && this.outages.size === 0) || caller.control
  }

  /**
   * Sets the faults of a scenario.
   *
   * @returns their ids
   * @throws ConfigurationError if there is no scenario with this name
   */
  startScenario(name: string): string[] {
    const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined
    if (scenario === undefined) {
      throw new ConfigurationError(
        `there is no scenario ${name}; expected one of ${Object.keys(scenarios).join(', ')}`,
      )
    }
    return this.faults.set(scenario.faults)
  }

  /** Removes a key with its usage and closes its connections. @returns whether it existed */
  removeKey(name: string): boolean {
    const key = this.keys.get(name)
    if (key === undefined) return false
    this.keys.delete(name)
    this.quotas.forget(name)
    this.connections.sever(key, 'key removed')
    return true
  }

  /** Returns the limits of answers that a key or its plan sets. */
  rpcSettingsOf(key: ApiKey): Partial<RpcSettings> | undefined {
    const limits = { ...this.quotas.planOf(key)?.limits, ...key.limits }
    const settings: Partial<RpcSettings> = {
      ...(limits.logsMaxResults !== undefined && { maxLogs: limits.logsMaxResults }),
      ...(limits.logsTimeoutMs !== undefined && { logTimeoutMilliseconds: limits.logsTimeoutMs }),
      ...(limits.logsMaxParameters !== undefined && { maxLogParameters: limits.logsMaxParameters }),
      ...(limits.gasCapBlocks !== undefined && { gasCapInBlocks: limits.gasCapBlocks }),
      ...(limits.logsMaxRange !== undefined && { maxLogRange: limits.logsMaxRange }),
    }
    return Object.keys(settings).length === 0 ? undefined : settings
  }

  /** Returns the limits of transports that a key or its plan sets. */
  limitsOf(key: ApiKey | undefined): TransportLimits {
    return key === undefined ? {} : { ...this.quotas.planOf(key)?.limits, ...key.limits }
  }

  /** Records and counts a request, and charges its key. */
  account(entry: RecordedRequest, key: ApiKey | undefined): void {
    this.usage.add(entry)
    this.journal.record(entry)
    if (key !== undefined && entry.credits > 0 && this.quotas.isMetered(key)) this.charge(key, entry.credits)
    if (entry.error !== undefined || entry.status >= 400) this.#onFailure?.(entryOf(entry))
  }

  /** Charges a key, closing its WebSockets once the day's credits are spent. */
  charge(key: ApiKey, credits: number): void {
    if (this.mode !== 'open' && this.quotas.charge(key, credits)) this.connections.sever(key)
  }

  /** Closes a key's WebSockets if its daily quota is spent, whether over HTTP or WebSocket. */
  severIfSpent(key: ApiKey): void {
    if (
      this.quotas
        .meter(key)
        .isDaySpent({ perDay: this.quotas.planOf(key)?.creditsPerDay, perSecond: undefined })
    ) {
      this.connections.sever(key)
    }
  }

  /** Records a request without calls: an upgrade, or a request refused by the transport. */
  record(
    caller: Caller,
    transport: JournalTransport,
    { status, error }: { status: number; error?: JournalEntry['error'] },
  ): void {
    const { network, key, keyLabel } = caller
    const credits = status >= 400 ? REFUSED_REQUEST_COST : 0
    const entry = { time: Date.now(), network, transport, status, milliseconds: 0, credits, bytes: 0 }
    this.account(
      { ...entry, ...(keyLabel !== undefined && { key: keyLabel }), ...(error !== undefined && { error }) },
      key,
    )
  }

  #refused({ transport, network = standardNetwork, key, operation, refusal }: RefusedRequest): void {
    const known = key === undefined ? undefined : this.keys.get(key)
    const entry: Omit<JournalEntry, 'id'> = {
      time: Date.now(),
      network,
      transport,
      status: refusal.status,
      milliseconds: 0,
      credits: known === undefined ? 0 : REFUSED_REQUEST_COST,
      bytes: Buffer.byteLength(refusal.body),
      answeredBy: 'admission',
    }
    if (key !== undefined) entry.key = this.journal.keyLabels.of(key)
    if (operation !== undefined) entry.method = operation
    this.account(entry, known)
  }
}
