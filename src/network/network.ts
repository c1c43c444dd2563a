import type { StateCaches } from '../chain/state/stateStore.js'
import type { NodeSettings } from '../options.js'
import type { ChainEvents } from '../chain/reader.js'
import type { ChainView } from '../chain/view.js'
import type { ImportProgress } from '../chain/import/chainFile.js'
import type { Hex } from '../encoding/hex.js'
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
  /** 32 bytes as hexadecimal behind 0x. */
  privateKey: Hex
}

/** What a network's first block says. */
export interface GenesisFacts {
  /** Wei per gas; undefined before London. */
  baseFee: bigint | undefined
  gasLimit: bigint
  /** Seconds since 1970. */
  timestamp: bigint
  number: bigint
}

/** One chain and its JSON-RPC, ready for requests. */
export interface Network {
  name: string
  chainId: bigint
  pipeline: RpcPipeline
  /** What the chain is read through. */
  view: ChainView
  /** Names of the methods that drive the node rather than ask it. */
  controlMethods: ReadonlySet<string>
  accounts: readonly FundedAccount[]
  genesis: GenesisFacts
  /** The remote chain that this one goes on from, by its URL without secrets, and the block that it left it at. */
  fork: { url: string; number: bigint } | undefined
  /** What signs and recovers: `native` or `wasm`. */
  signatureBackend: string
  events: Pick<ChainEvents, 'subscribe'>
  /** Whether the node is to tell about blocks; changes in place. */
  logging: { readonly enabled: boolean }
  /** Puts the chain back to its genesis. */
  reset(): Promise<void>
  /** Addresses that are impersonated by name, with their checksums. */
  impersonated(): string[]
  /** Mines no more by itself, and lets what takes many blocks end early; {@link close} follows. */
  beginStop(): void
  /** Waits for what is under way; changes that come later are refused. */
  close(): Promise<void>
}

/** What a data directory keeps of chains; all networks of a node share it. */
export interface NetworkData {
  database: Database
  /** What the chains of the node keep of their states, within one budget of memory. */
  caches: StateCaches
  manifest: Manifest
  /** Of the chains in the database. */
  numbers: NetworkNumbers
  /** Writes the manifest as it is now. */
  saveManifest(): void
}

/** Files that a chain comes from, and who is told how far their import has come. */
export interface ChainFiles {
  /** A geth genesis. */
  genesis: string | undefined
  /** An RLP chain file. */
  import: string | undefined
  progress: ((progress: ImportProgress) => void) | undefined
}

/** Takes what a developer looks at: what contracts log, why transactions fail, traces. */
export interface Developer {
  tell(text: string): void
  colours: boolean
}

/** What a network is opened with. */
export interface NetworkRequest {
  name: string
  /** Stands in place of the settings' chain id; a genesis file has its own. */
  chainId: bigint
  files?: ChainFiles | undefined
  settings: NodeSettings
  data: NetworkData
  /** Methods besides those of the registry. */
  methods: readonly Method[]
  /** Who is told what contracts do. */
  developer?: Developer | undefined
  /** Stands before every call of the network. */
  policy: CallPolicy
  /** Answers calls in place of their methods. */
  interceptor?: CallInterceptor | undefined
  /** Stands before the remote of a fork. */
  remoteReads?: RemoteReads | undefined
  /** Told what the user should know, in one line. */
  warn?: ((message: string) => void) | undefined
  /** Told of faults of ours, with the method that met them. */
  report: (method: string, fault: unknown) => void
}
