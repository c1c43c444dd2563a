import { RpcError } from '../rpc/errors.js'
import type { Result } from '../rpc/method.js'
import type { Subscriptions } from '../rpc/subscriptions/sessionSubscriptions.js'
import { type JsonValue, WireBytes } from '../rpc/wire.js'
import type { RecordedOutcome } from './entry.js'

/** A JSON-RPC call that a cassette keeps or answers. */
export interface CassetteCall {
  network: string
  method: string
  /** As they came, undecoded. */
  params: unknown
  transport: string
  /** Undefined where nothing can be pushed. */
  subscriptions: Subscriptions | undefined
}

/** Answers a call in another way. */
export type AnswerCall = () => Result | Promise<Result>

/**
 * The answer that was recorded.
 *
 * @throws RpcError if it was an error or an HTTP refusal
 */
export function replayOutcome(outcome: RecordedOutcome): WireBytes {
  if ('result' in outcome) return new WireBytes([JSON.stringify(outcome.result)])
  if ('error' in outcome) {
    const { code, message, data } = outcome.error
    throw new RpcError(code, message, { data: data as JsonValue | undefined })
  }
  const { status, headers, text = '' } = outcome.http
  throw new RpcError(-32000, text.trim() === '' ? `HTTP ${status}` : text.trim(), {
    refusal: { status, contentType: headers['content-type'] ?? 'text/plain', body: text },
  })
}

const CHANGES = /^(?:eth_send|(?:evm|anvil|hardhat|ganache)_)/

/** Whether a method may change the chain: notifications are placed between such calls. */
export function isChange(method: string): boolean {
  return CHANGES.test(method)
}

const HEAD_METHODS: ReadonlySet<string> = new Set([
  ...['eth_blockNumber', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_blobBaseFee', 'eth_feeHistory'],
])
const HEAD_TAGS: ReadonlySet<unknown> = new Set(['latest', 'pending', 'safe', 'finalized'])

/**
 * How answers to a call follow the chain: `head` tells where it is, `news` what came since the last call, so that polling
 * loops of any speed see the same. Undefined for other calls.
 */
export function followsChain(method: string, params: unknown): 'head' | 'news' | undefined {
  if (method === 'eth_getFilterChanges') return 'news'
  if (HEAD_METHODS.has(method)) return 'head'
  const isHead = method === 'eth_getBlockByNumber' && Array.isArray(params) && HEAD_TAGS.has(params[0])
  return isHead ? 'head' : undefined
}
