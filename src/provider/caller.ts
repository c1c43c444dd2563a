import type { ApiKey } from './keys/apiKey.js'

/** What the door found out about a request or a connection; the gate goes by it. */
export interface Caller {
  network: string
  /** Undefined in open mode and on the controls' own path. */
  key: ApiKey | undefined
  /** Whether the request came over the controls' own path, where every method exists. */
  control: boolean
  /** Whether a web page of another origin than loopback or an allowed one is behind it. */
  foreignOrigin: boolean
  /** Whether the caller proved the key's secret. */
  trusted: boolean
  /** Whether the caller asked for the partner during an outage. */
  failover: boolean
}
