import type { SealedTransaction } from '../chain/block/record.js'
import type { Chain } from '../chain/chain.js'
import type { ChainEvent } from '../chain/reader.js'
import type { HistoryTracer } from '../chain/tracing/historyTracer.js'
import { errorText } from '../encoding/errorText.js'
import { bytesToHex } from '../encoding/hex.js'
import { type Awaitable, TurnQueue } from '../encoding/timeSlice.js'
import { type NodeSettings, OptionError } from '../options.js'
import type { ContractArtifact } from '../report/artifacts.js'
import type * as report from '../report/index.js'
import type { Developer } from './network.js'

/** Options of a reporter. */
export interface ReporterOptions {
  chain: Chain
  tracing: Pick<HistoryTracer, 'traceBlock'>
  artifacts: readonly ContractArtifact[]
  /** Whether to print every transaction as a call tree. */
  trace: boolean
  /** Whether to print console.log output. */
  consoleLog: boolean
  colours: boolean
  /** Updated in place. */
  logging: { enabled: boolean }
  /** Prints lines for the developer; resolves when it takes more. */
  tell: (text: string) => Awaitable<void>
  /** Receives internal faults. */
  fault: (fault: unknown) => void
}

type Report = typeof report

/** Maximum of waiting console output: a contract may log gigabytes in one call. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
/** Memory of a waiting line besides its data. */
const BYTES_OF_LINE = 500

/**
 * Reports to the developer what contracts do: console output, reasons of failed transactions and, on demand, every
 * call. Reports are in order of occurrence. The decoders are loaded with the first report.
 */
export class Reporter {
  readonly #options: ReporterOptions
  readonly #queue = new TurnQueue()
  #contracts: Promise<report.Contracts> | undefined
  /** Approximate bytes of console output not printed yet, and the lines left out since then. */
  #waitingBytes = 0
  #leftOut = 0

  constructor(options: ReporterOptions) {
    this.#options = options
    options.chain.events.subscribe((event) => this.#handleEvent(event))
    options.chain.onConsole = this.onConsole
  }

  /** Handles a contract's call to the console. */
  readonly onConsole = (data: Uint8Array): void => {
    const { consoleLog, logging } = this.#options
    if (!consoleLog || !logging.enabled) return
    const size = data.length + BYTES_OF_LINE
    if (this.#waitingBytes + size > MAX_WAITING_BYTES) {
      this.#leftOut++
      return
    }
    this.#waitingBytes += size
    this.#print(({ decodeConsoleLog }) => {
      const lines = [decodeConsoleLog(data)]
      this.#waitingBytes -= size
      if (this.#waitingBytes === 0 && this.#leftOut > 0) {
        lines.push(`… ${this.#leftOut} more console.log calls, made faster than they could be printed`)
        this.#leftOut = 0
      }
      return lines
    })
  }

  #handleEvent(event: ChainEvent): void {
    if (event.type !== 'head' || event.executed === undefined) return
    const { block, executed } = event
    if (executed.transactions.length === 0) return
    const { chain, tracing, colours, trace } = this.#options
    if (trace) {
      this.#print(async (loaded) => {
        const contracts = await this.#knownContracts(loaded)
        return loaded.traceTrees({ view: chain.view, tracing, block, contracts, colours })
      })
    }
    for (const transaction of executed.transactions) {
      if (transaction.failure !== undefined) this.#print((loaded) => this.#failure(loaded, transaction))
    }
  }

  async #failure(
    loaded: Report,
    { hash, failure = '', output = new Uint8Array(0) }: SealedTransaction,
  ): Promise<string[]> {
    const message = loaded.describeFailure({ failure, output }, await this.#knownContracts(loaded))
    return [`Transaction ${bytesToHex(hash)} failed: ${message}`]
  }

  #knownContracts({ Contracts }: Report): Promise<report.Contracts> {
    return (this.#contracts ??= Contracts.of(this.#options.artifacts))
  }

  #print(lines: (loaded: Report) => readonly string[] | Promise<readonly string[]>): void {
    const { logging, tell, fault } = this.#options
    if (!logging.enabled) return
    this.#queue.add(async () => tell((await lines(await import('../report/index.js'))).join('\n')), fault)
  }
}

/** Dependencies of reports. */
export interface ReportParts extends Pick<ReporterOptions, 'chain' | 'tracing' | 'logging' | 'fault'> {
  developer: Developer
  settings: Pick<NodeSettings, 'artifacts' | 'disableConsoleLog' | 'trace'>
}

/**
 * Starts reporting to the developer.
 *
 * @throws OptionError if the artifacts cannot be read
 */
export async function startReports({ developer, settings, ...parts }: ReportParts): Promise<void> {
  new Reporter({
    ...parts,
    ...developer,
    artifacts: await contractArtifacts(settings.artifacts),
    trace: settings.trace,
    consoleLog: !settings.disableConsoleLog,
  })
}

async function contractArtifacts(directory: string | undefined): Promise<ContractArtifact[]> {
  if (directory === undefined) return []
  const { readArtifacts } = await import('../report/artifacts.js')
  return readArtifacts(directory).catch((error: unknown) => {
    throw new OptionError(`--artifacts: ${errorText(error)}`)
  })
}
