import { RpcError, ServerError } from '../../rpc/errors.js'
import type { JsonValue } from '../../rpc/json.js'

/** The methods that an outage sends to the partner. */
const forwarded: ReadonlySet<string> = new Set(['eth_estimateGas', 'eth_getProof'])

/** Whether the partner takes a method. */
export function isForwarded(method: string): boolean {
  return forwarded.has(method)
}

/** Longest wait for the partner. */
const patience = 30_000

/**
 * Asks the partner for an answer.
 *
 * @throws RpcError as the partner answered, or a ServerError if it does not answer.
 */
export async function askPartner(url: string, method: string, params: unknown): Promise<JsonValue> {
  const answer = await fetchAnswer(url, method, params)
  if (isErrorAnswer(answer)) {
    const { code, message, data } = answer.error
    throw new RpcError(code, message, { data })
  }
  if (typeof answer !== 'object' || answer === null || !('result' in answer)) throw unreachable()
  return answer.result as JsonValue
}

async function fetchAnswer(url: string, method: string, params: unknown): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? [] }),
      signal: AbortSignal.timeout(patience),
    })
    return await response.json()
  } catch (cause) {
    throw unreachable(cause)
  }
}

function unreachable(cause?: unknown): ServerError {
  const error = new ServerError('failover partner is not available')
  if (cause !== undefined) error.cause = cause
  return error
}

function isErrorAnswer(
  answer: unknown,
): answer is { error: { code: number; message: string; data?: JsonValue | undefined } } {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return false
  const { error } = answer
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error
}
