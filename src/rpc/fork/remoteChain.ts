import { RpcError, ServerError } from '../errors.js'
import { type JsonValue, WireBytes, printJson } from '../wire.js'

/** The chain that a fork goes on from: it answers for its blocks up to the one that the fork left it at. */
export interface RemoteChain {
  /** The number of the last block that both chains share. */
  readonly forkBlock: bigint
  readonly chainId: bigint
  /** Its URL as it may be shown. */
  readonly shownUrl: string
  /** Calls a method of the remote node. @throws Error with a JSON-RPC `code` where the remote answered with one */
  request(method: string, params: readonly unknown[]): Promise<unknown>
}

/** The remote's answer to a call, as it came. @throws RpcError with the remote's code, message and data */
export async function forward(
  remote: RemoteChain,
  method: string,
  params: readonly unknown[],
): Promise<WireBytes> {
  return new WireBytes([printJson((await ask(remote, method, params)) as JsonValue)])
}

/** The remote's answer to a call as a value. @throws RpcError */
export async function ask(remote: RemoteChain, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    return await remote.request(method, params)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (!('code' in error) || typeof error.code !== 'number') throw new ServerError(error.message)
    const data = 'data' in error ? (error.data as JsonValue | undefined) : undefined
    throw new RpcError(error.code, error.message, { data })
  }
}
