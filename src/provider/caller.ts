import type { TransportEffects } from './faults/faultRegistry.js'
import type { Allowlists, ApiKey } from './keys/apiKey.js'

/** A WebSocket as far as faults and quotas reach into it. */
export interface CallerConnection {
  /** Ends it with a close frame. */
  close(code: number, reason: string): void
  /** Ends it without a word. */
  destroy(): void
  /** Whether what subscriptions push is swallowed. */
  dropsEvents: boolean
  /** Ends it once its caller has been silent for so long. */
  closeWhenIdle(milliseconds: number): void
}

/** What admission found out about a request or a connection; the call policy depends on it. */
export interface Caller {
  network: string
  /** Undefined in open mode and on the controls' own path. */
  key: ApiKey | undefined
  /** The key of the path as the journal shows it. */
  keyLabel: string | undefined
  /** Whether the request came over the controls' own path, where every method exists. */
  control: boolean
  /** Whether the journal and the usage leave the request out. */
  unrecorded: boolean
  /** Whether a web page of another origin than loopback or an allowed one is behind it. */
  foreignOrigin: boolean
  /** Whether the caller proved the key's secret. */
  trusted: boolean
  /** What a valid JSON web token allows; undefined if there was none. */
  claims: Allowlists | undefined
  /** Whether the caller asked for the partner during an outage. */
  failover: boolean
  /** Kinds of the open subscriptions by id; for a WebSocket. */
  subscriptions: Map<string, string> | undefined
  /** Set once a WebSocket is open. */
  connection: CallerConnection | undefined
  /** What happens to the answer on its way; set by faults, for one request over HTTP. */
  effects: TransportEffects | undefined
  /** Who answered, if it was the partner. */
  answeredBy: 'partner' | undefined
}

/** A caller of whom nothing is known but the network. */
export function createCaller(network: string): Caller {
  return {
    network,
    key: undefined,
    keyLabel: undefined,
    control: false,
    unrecorded: false,
    foreignOrigin: false,
    trusted: false,
    claims: undefined,
    failover: false,
    subscriptions: undefined,
    connection: undefined,
    effects: undefined,
    answeredBy: undefined,
  }
}
