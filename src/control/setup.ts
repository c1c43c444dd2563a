import type { Provider } from '../provider/provider.js'

/** What the controls work on. */
export interface ControlSetup {
  provider: Provider
  /** Names of the node's networks. */
  networks: readonly string[]
  /** The version of this package. */
  version: string
}
