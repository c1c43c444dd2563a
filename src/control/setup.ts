import type { Provider } from '../provider/provider.js'
import type { ChainWatch } from './chainWatch.js'

/** What the controls work on. */
export interface ControlSetup {
  provider: Provider
  /** Names of the node's networks. */
  networks: readonly string[]
  /** The version of this package. */
  version: string
  /** What `/node` answers with besides version and mode. */
  describeNode: () => Readonly<Record<string, unknown>>
  /** What happened to the chains. */
  chains: ChainWatch
  /** The folder of compiled contracts; undefined if none was named. */
  artifacts: string | undefined
  /** What a garbage collection of the file network would free. */
  garbage: () => Promise<{ blocks: number; bytes: number }>
}
