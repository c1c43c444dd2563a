import { OptionError, type NodeSettings } from '../options.js'
import type { ContractArtifact } from '../report/artifacts.js'
import type { Developer } from './network.js'
import { Reporter, type ReporterOptions } from './reporter.js'

/** What reports are made from. */
export interface ReportParts extends Pick<ReporterOptions, 'chain' | 'tracing' | 'logging' | 'fault'> {
  developer: Developer
  settings: Pick<NodeSettings, 'artifacts' | 'disableConsoleLog' | 'trace'>
}

/**
 * Begins to tell a developer what contracts do.
 *
 * @throws OptionError if the artifacts cannot be read
 */
export async function startReports({ developer, settings, ...parts }: ReportParts): Promise<void> {
  new Reporter({
    ...parts,
    ...developer,
    artifacts: await contractArtifacts(settings),
    trace: settings.trace,
    consoleLog: !settings.disableConsoleLog,
  })
}

async function contractArtifacts({
  artifacts,
}: Pick<NodeSettings, 'artifacts'>): Promise<ContractArtifact[]> {
  if (artifacts === undefined) return []
  const { readArtifacts } = await import('../report/artifacts.js')
  return readArtifacts(artifacts).catch((error: unknown) => {
    throw new OptionError(`--artifacts: ${error instanceof Error ? error.message : String(error)}`)
  })
}
