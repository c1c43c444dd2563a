import type { SealedTransaction } from '../chain/block/record.js'
import type { Chain } from '../chain/chain.js'
import type { ChainEvent } from '../chain/reader.js'
import type { HistoryTracer } from '../chain/tracing/historyTracer.js'
import { bytesToHex } from '../encoding/hex.js'
import { Mutex } from '../encoding/timeSlice.js'
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
  /** Prints lines for the developer. */
  tell: (text: string) => void
  /** Receives internal faults. */
  fault: (fault: unknown) => void
}

type Report = typeof report

/**
 * Reports to the developer what contracts do: console output, reasons of failed transactions and, on demand, every
 * call. Reports are in order of occurrence. The decoders are loaded with the first report.
 */
export class Reporter {
  readonly #options: ReporterOptions
  readonly #mutex = new Mutex()

  constructor(options: ReporterOptions) {
    this.#options = options
    options.chain.events.subscribe((event) => this.#handleEvent(event))
    options.chain.onConsole = this.onConsole
  }

  /** Handles a contract's call to the console. */
  readonly onConsole = (data: Uint8Array): void => {
    if (this.#options.consoleLog) this.#print(({ decodeConsoleLog }) => [decodeConsoleLog(data)])
  }

  #handleEvent(event: ChainEvent): void {
    if (event.type !== 'head' || event.executed === undefined) return
    const { block, executed } = event
    if (executed.transactions.length === 0) return
    const { chain, tracing, artifacts, colours, trace } = this.#options
    if (trace) {
      this.#print(({ traceTrees }) => traceTrees({ view: chain.view, tracing, block, artifacts, colours }))
    }
    for (const transaction of executed.transactions) {
      if (transaction.failure !== undefined) this.#print((loaded) => this.#failure(loaded, transaction))
    }
  }

  #failure(
    { Contracts, describeFailure }: Report,
    { hash, failure = '', output }: SealedTransaction,
  ): string[] {
    const contracts = new Contracts(this.#options.artifacts)
    const message = describeFailure({ failure, output: output ?? new Uint8Array(0) }, contracts)
    return [`Transaction ${bytesToHex(hash)} failed: ${message}`]
  }

  #print(lines: (loaded: Report) => readonly string[] | Promise<readonly string[]>): void {
    const { logging, tell, fault } = this.#options
    if (!logging.enabled) return
    this.#mutex
      .run(async () => tell((await lines(await import('../report/index.js'))).join('\n')))
      .catch(fault)
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
    throw new OptionError(`--artifacts: ${error instanceof Error ? error.message : String(error)}`)
  })
}
