import type { FileCaller } from '../admission/admission.js'
import { type Refusal, refuse } from '../admission/refusal.js'
import { type FaultHit, type TransportEffects, delayOf, effectsOf, wait } from '../faults/faultRegistry.js'
import type { JournalEntry } from '../journal/journal.js'
import { standardNetwork } from '../networks.js'
import type { Provider } from '../provider.js'
import { FileMeter } from '../quota/meter.js'

/** Gateway requests per second of the hosted provider; counted in strict mode. */
const GATEWAY_PER_SECOND = 100

const tooManyRequests = refuse(429, 'Too Many Requests\n')
const transferQuotaReached = refuse(403, 'not allowed - transfer quota reached\n')

/** Outcome of a file request. */
export interface FileOutcome {
  status: number
  uploaded: number
  downloaded: number
  milliseconds: number
}

/** Decision of the file policy about a request. */
export interface FileRecord {
  /** Replaces the answer, if set. */
  refusal: Refusal | undefined
  effects: TransportEffects | undefined
  /** Called once, when the request has ended. */
  done(outcome: FileOutcome): void
}

/** Checks every file operation against rates, quotas and faults, and records it in the journal. */
export class FilePolicy {
  readonly #provider: Provider
  readonly #gateway: FileMeter

  constructor(provider: Provider) {
    this.#provider = provider
    this.#gateway = new FileMeter(provider.clock)
  }

  /** Admits an operation, immediately or after a delay. @param params - for the journal */
  async enter(caller: FileCaller, operation: string, params: string): Promise<FileRecord> {
    const request = {
      time: Date.now(),
      network: standardNetwork,
      transport: 'files',
      method: operation,
      params,
    } as const
    const { faults } = this.#provider
    const { network, transport } = request
    const hits = faults.isEmpty ? [] : faults.meet({ network, key: caller.key?.key, transport, operation })
    const delay = delayOf(hits)
    if (delay > 0) await wait(delay)
    return {
      refusal: this.#refuse(caller, operation) ?? refusalOf(hits),
      effects: effectsOf(hits),
      done: (outcome) => this.#account(caller, request, hits, outcome),
    }
  }

  #refuse({ key }: FileCaller, operation: string): Refusal | undefined {
    if (operation === 'gateway') {
      const isStrict = this.#provider.mode === 'strict'
      return isStrict && this.#gateway.beginGateway(GATEWAY_PER_SECOND) ? tooManyRequests : undefined
    }
    const plan = key === undefined ? undefined : this.#provider.quotas.planOf(key)
    if (key === undefined || plan === undefined) return undefined
    const refused = this.#provider.quotas.fileMeter(key).begin(operation, plan.files)
    if (refused === undefined) return undefined
    return refused === 'rate' ? tooManyRequests : transferQuotaReached
  }

  #account(
    { key, unrecorded }: FileCaller,
    request: Pick<JournalEntry, 'time' | 'network' | 'transport' | 'params'> & { method: string },
    hits: readonly FaultHit[],
    outcome: FileOutcome,
  ): void {
    if (key !== undefined) this.#provider.quotas.fileMeter(key).end(request.method, outcome)
    if (unrecorded) return
    const { status, milliseconds, downloaded } = outcome
    const entry: Omit<JournalEntry, 'id'> = {
      ...request,
      status,
      milliseconds,
      credits: 0,
      bytes: downloaded,
    }
    if (key !== undefined) entry.key = this.#provider.journal.keyLabels.of(key.key)
    if (hits.length > 0) entry.faults = hits.map(({ id }) => id)
    this.#provider.account(entry, key)
  }
}

function refusalOf(hits: readonly FaultHit[]): Refusal | undefined {
  for (const { action } of hits) {
    if (action.type === 'status') {
      return { status: action.status, headers: { 'content-type': action.contentType }, body: action.body }
    }
    if (action.type === 'error') return refuse(500, `${action.message}\n`)
    if (action.type === 'outage') return refuse(503, 'service unavailable\n')
    if (action.type === 'quota') return action.span === 'day' ? transferQuotaReached : tooManyRequests
  }
  return undefined
}
