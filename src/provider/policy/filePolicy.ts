import type { FileCaller } from '../admission/admission.js'
import { type Refusal, refuse } from '../admission/refusal.js'
import { type FaultHit, type TransportEffects, delayOf, effectsOf, wait } from '../faults/faultRegistry.js'
import type { JournalEntry } from '../journal/journal.js'
import { standardNetwork } from '../networks.js'
import type { Provider } from '../provider.js'
import { FileMeter } from '../quota/meter.js'

/** Requests to the hosted gateway in one second; ours counts them in strict mode. */
const gatewayPerSecond = 100

const tooManyRequests = refuse(429, 'Too Many Requests\n')
const transferQuotaReached = refuse(403, 'not allowed - transfer quota reached\n')

/** How a request to the file network ended. */
export interface FileOutcome {
  status: number
  uploaded: number
  downloaded: number
  milliseconds: number
}

/** What the file policy decided about a request. */
export interface FileRecord {
  /** What is answered instead. */
  refusal: Refusal | undefined
  effects: TransportEffects | undefined
  /** Told once, when the request has ended. */
  done(outcome: FileOutcome): void
}

/** Stands before every operation of the file network: rates, quotas, faults; and tells the journal. */
export class FilePolicy {
  readonly #provider: Provider
  readonly #gateway: FileMeter

  constructor(provider: Provider) {
    this.#provider = provider
    this.#gateway = new FileMeter(provider.clock)
  }

  /** Lets an operation through, at once or after a delay. @param params - for the journal */
  async enter(caller: FileCaller, operation: string, params: string): Promise<FileRecord> {
    const started = Date.now()
    const hits = this.#meetFaults(caller, operation)
    const delay = delayOf(hits)
    if (delay > 0) await wait(delay)
    return {
      refusal: this.#refuse(caller, operation) ?? refusalOf(hits),
      effects: effectsOf(hits),
      done: (outcome) => this.#account(caller, { operation, params, started, hits, outcome }),
    }
  }

  #meetFaults({ key }: FileCaller, operation: string): FaultHit[] {
    const { faults } = this.#provider
    if (faults.isEmpty) return []
    return faults.meet({ network: standardNetwork, key: key?.key, transport: 'files', operation })
  }

  #refuse({ key }: FileCaller, operation: string): Refusal | undefined {
    if (operation === 'gateway') {
      const isStrict = this.#provider.mode === 'strict'
      return isStrict && this.#gateway.beginGateway(gatewayPerSecond) ? tooManyRequests : undefined
    }
    const plan = key === undefined ? undefined : this.#provider.quotas.planOf(key)
    if (key === undefined || plan === undefined) return undefined
    const refused = this.#provider.quotas.fileMeter(key).begin(operation, plan.files)
    if (refused === undefined) return undefined
    return refused === 'rate' ? tooManyRequests : transferQuotaReached
  }

  #account(
    { key, unrecorded }: FileCaller,
    ended: {
      operation: string
      params: string
      started: number
      hits: readonly FaultHit[]
      outcome: FileOutcome
    },
  ): void {
    const { operation, params, started, hits, outcome } = ended
    if (key !== undefined) this.#provider.quotas.fileMeter(key).end(operation, outcome)
    if (unrecorded) return
    const entry: Omit<JournalEntry, 'id'> = {
      time: started,
      network: standardNetwork,
      transport: 'files',
      method: operation,
      params,
      status: outcome.status,
      milliseconds: outcome.milliseconds,
      credits: 0,
      bytes: outcome.downloaded,
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
