import { startNode } from './node.js'
import type { NodeOptions } from './options.js'
import { parseNodeOptions } from './options.js'

export { OptionError } from './options.js'
export { RpcError } from './rpc/errors.js'
export type { NodeOptions }

/** A node that runs in this process. */
export interface StandinNode {
  /** JSON-RPC over HTTP, with a key: `http://127.0.0.1:8545/v3/local`. */
  readonly url: string
  /** JSON-RPC over WebSocket, with a key: `ws://127.0.0.1:8545/ws/v3/local`. */
  readonly wsUrl: string
  /** The file network, without `/api/v0`. */
  readonly ipfsUrl: string
  /** The controls, `/_standin`. */
  readonly controlUrl: string
  /** The accounts that are funded at genesis: EIP-55 addresses and private keys as hexadecimal behind 0x. */
  readonly accounts: readonly { address: `0x${string}`; privateKey: `0x${string}` }[]
  /**
   * Calls a JSON-RPC method in process, without a socket.
   *
   * @param params by position, as JSON values.
   * @returns the result as JSON values.
   * @throws RpcError with the code, message and data that a client would be sent.
   */
  request(method: string, params?: readonly unknown[]): Promise<unknown>
  /** Puts the chain back to its genesis; files and pins stay. */
  reset(): Promise<void>
  /** Stops listening, ends every connection, and removes the data unless a data directory was given. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a node in this process.
 *
 * The options are those of the command line by their camel-case names. With `port: 0` the file network gets a free
 * port of its own too, unless `ipfsPort` is given.
 *
 * @example
 * const node = await createNode({ port: 0 })
 * console.log(node.url, await node.request('eth_blockNumber'))
 * await node.stop()
 *
 * @throws OptionError for an unknown option or a bad value; AddressInUseError if a port is taken;
 * DataDirectoryError if another process has the data directory or its content does not fit.
 */
export async function createNode(options: NodeOptions = {}): Promise<StandinNode> {
  const settings = parseNodeOptions({
    ...options,
    ipfsPort: options.ipfsPort ?? (options.port === 0 ? 0 : undefined),
  })
  const node = await startNode(settings, {
    warn: (message) => process.emitWarning(message, 'StandinWarning'),
    fault: (place, fault) => process.emitWarning(`${place}: ${String(fault)}`, 'StandinFault'),
  })
  return {
    ...node.urls,
    accounts: node.network.accounts,
    request: (method, params = []) => node.network.dispatcher.request(method, params),
    reset: node.reset,
    stop: node.stop,
    [Symbol.asyncDispose]: node.stop,
  }
}
