import { createChainClock, createChainControls } from './fixture/chainControls.js'
import { type RequestFunction, type TestNode, withKey } from './fixture/nodeClient.js'
import { createProviderControls } from './fixture/createProviderControls.js'
import type { ProviderControls } from './fixture/providerControls.js'
import { type RunningNode, startNode } from './node.js'
import type { NodeUrls } from './node/addresses.js'
import { type NodeOptions, parseNodeOptions } from './options.js'

export type { ChainControls, MineOptions } from './fixture/chainControls.js'
export type { ChainClock } from './fixture/chainControls.js'
export type { NodeAddress, TestKey, TestNode } from './fixture/nodeClient.js'
export type { NodeProcess } from './fixture/nodeProcess.js'
export { startNodeProcess } from './fixture/nodeProcess.js'
export type { NodePool, PoolOptions } from './fixture/pool.js'
export { createPool } from './fixture/pool.js'
export type {
  Faults,
  Keys,
  ProviderControls,
  QuotaClockControl,
  RequestJournal,
} from './fixture/providerControls.js'
export type { RequestFunction } from './fixture/nodeClient.js'
export { OptionError } from './options.js'
export type { ApiKeyInput } from './provider/keys/keysFile.js'
export type { FaultInput } from './provider/faults/faultSchema.js'
export type { JournalEntry, JournalFilter } from './provider/journal/journal.js'
export { RpcError } from './rpc/errors.js'
export type { NodeOptions, NodeUrls }

/** Options for starting a node in this process. */
export interface CreateNodeOptions extends NodeOptions {
  /** Whether the node listens; default true. Without a port only `request()` reaches it, and its URLs throw. */
  listen?: boolean | undefined
}

/** A node running in this process. `request()` calls it without a socket; limits and faults do not apply there. */
export interface StandinNode extends TestNode, ProviderControls, AsyncDisposable {
  /** Stops listening, ends every connection, and removes the data unless a data directory was given. */
  stop(): Promise<void>
}

/**
 * Starts a node in this process.
 *
 * Options are those of the command line under their camel-case names. Ports default to free ones.
 *
 * @example
 * await using node = await createNode()
 * console.log(node.url, await node.request('eth_blockNumber'))
 *
 * @throws OptionError for an unknown option or a bad value; AddressInUseError if a port is taken; DataDirectoryError
 * if another process holds the data directory or its content does not fit
 */
export async function createNode({
  listen = true,
  ...options
}: CreateNodeOptions = {}): Promise<StandinNode> {
  const { port = 0, ipfsPort = port === 0 ? 0 : undefined } = options
  const settings = parseNodeOptions({ ...options, port, ipfsPort })
  const hooks = {
    warn: (message: string) => process.emitWarning(message, 'StandinWarning'),
    fault: (place: string, fault: unknown) =>
      process.emitWarning(`${place}: ${String(fault)}`, 'StandinFault'),
  }
  const node = await startNode(settings, hooks, { listen })
  return createHandle(node, listen ? node.urls : undefined)
}

function createHandle(
  { network, provider, reset, stop }: RunningNode,
  urls: NodeUrls | undefined,
): StandinNode {
  const request: RequestFunction = (method, params = []) => network.pipeline.request(method, params)
  const controls = createProviderControls(provider)
  return {
    get url() {
      return requireUrls(urls).url
    },
    get wsUrl() {
      return requireUrls(urls).wsUrl
    },
    get ipfsUrl() {
      return requireUrls(urls).ipfsUrl
    },
    get controlUrl() {
      return requireUrls(urls).controlUrl
    },
    chainId: Number(network.chainId),
    accounts: network.accounts,
    clock: createChainClock(request),
    request,
    ...createChainControls(request),
    ...controls,
    createKey: async () => {
      const { url, wsUrl } = requireUrls(urls)
      const { key, secret } = controls.keys.add()
      const remove = async (): Promise<void> => void controls.keys.remove(key)
      return { key, secret, url: withKey(url, key), wsUrl: withKey(wsUrl, key), remove }
    },
    reset,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function requireUrls(urls: NodeUrls | undefined): NodeUrls {
  if (urls === undefined) throw new Error('the node has no URLs: it was started with listen: false')
  return urls
}
