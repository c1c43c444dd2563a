import { ReadWriteLock } from '../encoding/mutex.js'
import { openFileStore } from '../storage/files/fileStore.js'
import { commands } from './commands/registry.js'
import { type Gateway, createGateway } from './gateway/gateway.js'
import { openMutableFiles } from './mfs/mutableFiles.js'
import type { NetworkContext } from './networkContext.js'
import { type CommandRequest, executeCommand } from './request/execute.js'
import type { CommandReply } from './request/reply.js'
import { createBlockstore, isIntact } from './store/blockstore.js'
import { measureGarbage } from './store/garbage.js'
import { loadIdentity } from './store/identity.js'
import { createPins } from './store/pins.js'
import { type ImportProfile, importSettings } from './unixfs/settings.js'

/** How a file network is made. */
export interface FileNetworkOptions {
  /** Where blocks, pins and the mutable files lie; created when it does not exist. */
  directory: string
  /** The import settings where a request says nothing else. Default: `unixfs-v0-2015`, as Kubo's. */
  importProfile?: ImportProfile
  /** Whether every block read is checked against its CID. Default: false. */
  verifyBlocks?: boolean
  /** Whether a write waits for the disk itself before it is acknowledged. Default: false. */
  sync?: boolean
  /** Multiaddresses at which the node answers, for `id`; asked for each time. Default: none. */
  addresses?: () => string[]
}

/** The file network: content-addressed files behind the operations of Kubo's RPC. */
export interface FileNetwork {
  /** Answers a request to an operation; never rejects. The body, where there is one, is read as needed. */
  execute(request: CommandRequest): Promise<CommandReply>
  /** The read-only gateway. */
  gateway: Gateway
  /** Number of stored blocks, and of bytes that their files take. */
  totals(): { blocks: number; bytes: number }
  /** What a garbage collection would free now. */
  garbage(): Promise<{ blocks: number; bytes: number }>
  /** Waits for writes under way and closes all files. */
  close(): Promise<void>
}

/** Opens the file network of a directory. */
export async function createFileNetwork(options: FileNetworkOptions): Promise<FileNetwork> {
  const { directory, importProfile = 'unixfs-v0-2015', verifyBlocks = false, sync = false } = options
  const store = await openFileStore({ directory, sync, isIntact })
  const settings = await importSettings(importProfile)
  const blockstore = createBlockstore({ blocks: store.blocks, verifyBlocks })
  const network: NetworkContext = {
    directory,
    blockstore,
    pins: createPins(store.pins),
    files: await openMutableFiles({ blockstore, named: store.named, importSettings: settings }),
    collectionLock: new ReadWriteLock(),
    importSettings: settings,
    identity: await loadIdentity(store.named, options.addresses ?? (() => [])),
  }
  return {
    execute: (request) => executeCommand(commands.get(request.operation), request, network),
    gateway: createGateway(blockstore),
    totals: () => blockstore.totals(),
    garbage: () => measureGarbage(network),
    close: () => store.close(),
  }
}
