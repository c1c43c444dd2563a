import { stringifyJsonInSteps } from '../../encoding/jsonWriter.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { RpcError, ServerError } from '../errors.js'
import { type PieceWriter, written } from '../format/pieces.js'
import { type JsonValue, type WireBytes, escapeForHtml } from '../wire.js'

/** The forked chain, which answers for blocks up to the fork block. */
export interface RemoteChain {
  /** Number of the last block common to both chains. */
  readonly forkBlock: bigint
  readonly chainId: bigint
  /** URL for display, without secrets. */
  readonly shownUrl: string
  /** Calls a method of the remote node. @throws Error with the remote's JSON-RPC `code`, if it returned one */
  request(method: string, params: readonly unknown[]): Promise<unknown>
}

/** Forwards a call and returns the remote's answer. @throws RpcError with the remote's code, message and data */
export async function forward(
  remote: RemoteChain,
  method: string,
  params: readonly unknown[],
): Promise<WireBytes> {
  const answer = await ask(remote, method, params)
  return written((writer) => writeJson(answer, writer))
}

/** Writes a value parsed from JSON. */
export function* writeJson(value: unknown, writer: PieceWriter): Steps<void> {
  for (const piece of yield* stringifyJsonInSteps(value)) {
    writer.append(escapeForHtml(piece))
    yield
  }
}

/** Calls the remote and returns its answer as a value. @throws RpcError */
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
