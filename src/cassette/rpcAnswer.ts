import { RpcError } from '../rpc/errors.js'
import type { JsonValue } from '../rpc/json.js'
import type { RecordedOutcome } from './entry.js'

/** Where subscriptions of a connection are opened. */
export interface CassetteSubscriptions {
  /** @param feed - gets what to push; returns what ends it. @returns the id */
  open(feed: (push: (result: unknown) => void) => () => void): string
  /** @returns false if there is none of this id */
  close(id: string): boolean
}

/** A JSON-RPC call that a cassette keeps or answers. */
export interface CassetteCall {
  network: string
  method: string
  params: unknown
  transport: string
  /** Undefined where nothing can be pushed. */
  subscriptions: CassetteSubscriptions | undefined
}

/**
 * The answer that was recorded.
 *
 * @throws RpcError if it was an error or an HTTP refusal
 */
export function replayOutcome(outcome: RecordedOutcome): unknown {
  if ('result' in outcome) return outcome.result
  if ('error' in outcome) {
    const { code, message, data } = outcome.error
    throw new RpcError(code, message, { data: data as JsonValue | undefined })
  }
  const { status, headers, text = '' } = outcome.http
  throw new RpcError(-32000, text.trim() === '' ? `HTTP ${status}` : text.trim(), {
    refusal: { status, contentType: headers['content-type'] ?? 'text/plain', body: text },
  })
}
