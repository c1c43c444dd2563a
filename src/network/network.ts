import type { StateCaches } from '../chain/state/account.js'
import type { NodeSettings } from '../options.js'
import type { ChainEvents } from '../chain/reader.js'
import type { ChainView } from '../chain/view.js'
import type { ImportProgress } from '../chain/import/chainFile.js'
import type { Hex } from '../encoding/hex.js'
import type { Awaitable } from '../encoding/timeSlice.js'
import type { CallInterceptor, RpcPipeline } from '../rpc/pipeline.js'
import type { CallPolicy } from '../rpc/callPolicy.js'
import type { Method } from '../rpc/method.js'
import type { Database } from '../storage/database.js'
import type { RemoteReads } from './fork/remoteClient.js'
import type { NetworkNumbers } from './networkNumbers.js'
import type { Manifest } from '../storage/manifest.js'

/** An account that a network funds at genesis. */
export interface FundedAccount {
  /** With the mixed-case checksum of EIP-55. */
  address: Hex
  /** 32 bytes as hexadecimal with 0x. */
  privateKey: Hex
}

/** Facts about a network's first block. */
export interface GenesisFacts {
  /** Wei per gas; undefined before London. */
  baseFee: bigint | undefined
  gasLimit: bigint
  /** Seconds since 1970. */
  timestamp: bigint
  number: bigint
}

/** A chain and its JSON-RPC, ready for requests. */
export interface Network {
  name: string
  chainId: bigint
  pipeline: RpcPipeline
  /** View through which the chain is read. */
  view: ChainView
  /** Names of methods that control the node rather than query it. */
  controlMethods: ReadonlySet<string>
  accounts: readonly FundedAccount[]
  genesis: GenesisFacts
  /** URL of the forked chain, without secrets, and the fork block. */
  fork: { url: string; number: bigint } | undefined
  /** Implementation that signs and recovers: `native` or `wasm`. */
  signatureBackend: string
  events: Pick<ChainEvents, 'subscribe'>
  /** Whether the node should log blocks; updated in place. */
  logging: { readonly enabled: boolean }
  /** Resets the chain to its genesis. */
  reset(): Promise<void>
  /** Checksummed addresses impersonated by name, a thousand at most. */
  impersonated(): string[]
  /** Stops automatic mining and lets long-running mining end early. Call {@link close} next. */
  beginStop(): void
  /** Waits for work in progress; later changes are refused. */
  close(): Promise<void>
}

/** Chain data of a data directory, shared by all networks of a node. */
export interface NetworkData {
  database: Database
  /** State caches of the node's chains, within one memory budget. */
  caches: StateCaches
  manifest: Manifest
  /** Numbers of the chains in the database. */
  numbers: NetworkNumbers
  /** Saves the manifest. */
  saveManifest(): void
}

/** Files to build a chain from, and the progress of their import. */
export interface ChainFiles {
  /** A geth genesis. */
  genesis: string | undefined
  /** An RLP chain file. */
  import: string | undefined
  progress: ((progress: ImportProgress) => void) | undefined
}

/** Output for the developer: contract logs, reasons of failed transactions, traces. */
export interface Developer {
  /** Resolves when more may be written. */
  tell(text: string): Awaitable<void>
  colours: boolean
}

/** Parameters for opening a network. */
export interface NetworkRequest {
  name: string
  /** Overrides the settings' chain id; a genesis file has its own. */
  chainId: bigint
  files?: ChainFiles | undefined
  settings: NodeSettings
  data: NetworkData
  /** Methods in addition to the registry's. */
  methods: readonly Method[]
  /** Output for contract activity. */
  developer?: Developer | undefined
  /** Runs before every call of the network. */
  policy: CallPolicy
  /** Answers calls in place of their methods. */
  interceptor?: CallInterceptor | undefined
  /** Intercepts reads of the fork's remote. */
  remoteReads?: RemoteReads | undefined
  /** Prints a one-line warning for the user. */
  warn?: ((message: string) => void) | undefined
  /** Receives internal faults, with the name of the method that raised them. */
  report: (method: string, fault: unknown) => void
}
