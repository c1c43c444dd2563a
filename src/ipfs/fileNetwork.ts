import { ReadWriteLock } from '../encoding/timeSlice.js'
import { type FileStore, openFileStore } from '../storage/files/blockFiles.js'
import { commands } from './commands/registry.js'
import { type Gateway, createGateway } from './gateway/gateway.js'
import { MutableFiles } from './mfs/mutableFiles.js'
import type { NetworkContext } from './networkContext.js'
import { type CommandRequest, executeOperation } from './request/execute.js'
import type { CommandReply } from './request/reply.js'
import { NetworkLog, RequestLog } from './request/requestLog.js'
import { Blockstore, isIntact } from './store/blockstore.js'
import { measureGarbage } from './store/garbage.js'
import { Configuration } from './configuration/configuration.js'
import { loadIdentity } from './names/identity.js'
import { Keystore } from './names/keystore.js'
import { NameSystem } from './names/nameSystem.js'
import { Pins } from './store/pins.js'
import type { ImportProfile, ImportSettings } from './unixfs/settings.js'

/** Options for opening a file network. */
export interface FileNetworkOptions {
  /** Directory of blocks, pins and the mutable files; created if missing. */
  directory: string
  /** Import settings for requests that do not give their own. Default: `unixfs-v0-2015`, as in Kubo. */
  importProfile?: ImportProfile
  /** Whether to check every block read against its CID. Default: false. */
  verifyBlocks?: boolean
  /** Whether a write is fsynced before it is acknowledged. Default: false. */
  sync?: boolean
  /** Returns the node's multiaddresses for `id`; called each time. Default: none. */
  addresses?: () => string[]
}

/** The file network: content-addressed files behind the operations of Kubo's RPC. */
export interface FileNetwork {
  /** Runs an operation; never rejects. Reads the request body, if any, on demand. */
  execute(request: CommandRequest): Promise<CommandReply>
  /** The read-only gateway. */
  gateway: Gateway
  /** Number of stored blocks, and the bytes their files occupy. */
  totals(): { blocks: number; bytes: number }
  /** What garbage collection would free now. */
  garbage(): Promise<{ blocks: number; bytes: number }>
  /** Waits for pending writes and closes all files. */
  close(): Promise<void>
}

/** Opens the file network in a directory. */
export async function createFileNetwork(options: FileNetworkOptions): Promise<FileNetwork> {
  const { directory, sync = false } = options
  const store = await openFileStore({ directory, sync, isIntact })
  const network = await openNetworkContext(store, options)
  return {
    execute: (request) => executeOperation(commands, request, network),
    gateway: createGateway(network),
    totals: () => network.blockstore.totals(),
    garbage: () => measureGarbage(network),
    close: () => store.close(),
  }
}

/** Builds the commands' context over an open store. */
export async function openNetworkContext(
  store: FileStore,
  options: Omit<FileNetworkOptions, 'sync'>,
): Promise<NetworkContext> {
  const { directory, importProfile = 'unixfs-v0-2015', verifyBlocks = false, addresses = () => [] } = options
  const rows = store.named
  const blockstore = new Blockstore(store.blocks, { verifyBlocks })
  const identity = await loadIdentity(rows, addresses)
  const keystore = new Keystore(rows, identity)
  const configuration = await Configuration.open({ rows, identity, profile: importProfile })
  const filesSettings = (): ImportSettings => configuration.filesSettings()
  return {
    directory,
    blockstore,
    pins: new Pins(store.pins),
    files: await MutableFiles.open({ blockstore, named: rows, importSettings: filesSettings }),
    collectionLock: new ReadWriteLock(),
    configuration,
    get importDefaults() {
      return configuration.importDefaults()
    },
    get filesSettings() {
      return filesSettings()
    },
    identity,
    keystore,
    names: new NameSystem(rows, { id: identity.id, key: () => keystore.self() }),
    requestLog: new RequestLog(),
    log: new NetworkLog(),
  }
}
