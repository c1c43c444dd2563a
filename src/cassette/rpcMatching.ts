import { RpcError } from '../rpc/errors.js'
import type { Result } from '../rpc/method.js'
import type { Subscriptions } from '../rpc/session.js'
import { type JsonValue, WireBytes } from '../rpc/wire.js'
import type { RecordedCall, RecordedOutcome, RpcErrorObject } from './entry.js'
import { type CassetteRules, applyMasks } from './rules.js'

/** What the transaction of a send does. */
export interface SendEffect {
  /** Members that tell transactions apart: type, to, value, data and the like, as wire values. */
  does: Readonly<Record<string, unknown>>
  /** 32 bytes as lower-case hexadecimal. */
  hash: string
}

/** Reads a raw transaction; undefined if it is none. */
export type DescribeTransaction = (raw: string) => SendEffect | undefined

/** The parameter of each method that may be a block tag, by its index. */
const blockTagIndex: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_createAccessList: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
}

const pinnedTags: ReadonlySet<unknown> = new Set(['latest', 'safe', 'finalized'])
const everyHash = /0x[0-9a-f]{64}(?![0-9a-f])/g

/**
 * Turns JSON-RPC calls into what a cassette compares: masked parameters, pinned block tags, and for sends what the
 * transaction does. Where a transaction's hash differs from the recorded one, because its signature does, later calls and
 * answers are translated between both.
 */
export class RpcMatching {
  readonly #rules: CassetteRules
  readonly #describe: DescribeTransaction
  readonly #recordedHashes = new Map<string, string>()
  readonly #sentHashes = new Map<string, string>()

  constructor(rules: CassetteRules, describe: DescribeTransaction) {
    this.#rules = rules
    this.#describe = describe
  }

  /**
   * The call as the cassette has it.
   *
   * @param effect - what its transaction does, if it sends one
   * @param tags - numbers that block tags of the network stand for
   */
  callOf(
    { network, method, params }: { network: string; method: string; params: unknown },
    effect: SendEffect | undefined,
    tags: Readonly<Record<string, string>>,
  ): RecordedCall {
    if (effect !== undefined) return ['rpc', network, method, [effect.does]]
    const pinned = pinTag(method, this.#asRecorded(params), tags)
    return ['rpc', network, method, applyMasks(this.#rules, method, pinned ?? [])]
  }

  /** What the transaction of a send does; undefined for other calls. */
  effectOf(method: string, params: unknown): SendEffect | undefined {
    if (!method.startsWith('eth_sendRawTransaction')) return undefined
    const raw: unknown = Array.isArray(params) ? params[0] : undefined
    return typeof raw === 'string' ? this.#describe(raw) : undefined
  }

  /**
   * Takes note of the hash under which a transaction was recorded.
   *
   * @param sent - 32 bytes as lower-case hexadecimal
   * @param result - the recorded answer to the send: the hash or the receipt
   */
  alias(sent: string, result: unknown): void {
    const isReceipt = typeof result === 'object' && result !== null && 'transactionHash' in result
    const recorded = isReceipt ? result.transactionHash : result
    if (typeof recorded !== 'string' || sent === recorded) return
    this.#recordedHashes.set(sent, recorded)
    this.#sentHashes.set(recorded, sent)
  }

  /** The text of a recorded result with the hashes of the transactions that the caller sent. */
  resultFor(text: string): string {
    return translate(text, this.#sentHashes)
  }

  /** The same for whatever outcome. */
  outcomeFor(outcome: RecordedOutcome): RecordedOutcome {
    if (this.#sentHashes.size === 0) return outcome
    if ('resultText' in outcome) return { ...outcome, resultText: this.resultFor(outcome.resultText) }
    if (!('errorText' in outcome)) return outcome
    const errorText = translate(outcome.errorText, this.#sentHashes)
    return { error: JSON.parse(errorText) as RpcErrorObject, errorText }
  }

  /** Whether a tag of this call is to be pinned and is not known yet; the tag then. */
  unknownTag(method: string, params: unknown, tags: Readonly<Record<string, string>>): string | undefined {
    if (this.#rules.pinBlockTags !== true) return undefined
    const tag = tagOf(method, params)
    return tag !== undefined && tags[tag] === undefined ? tag : undefined
  }

  #asRecorded(params: unknown): unknown {
    if (this.#recordedHashes.size === 0 || params === undefined) return params
    const text = JSON.stringify(params)
    const translated = translate(text, this.#recordedHashes)
    return translated === text ? params : JSON.parse(translated)
  }
}

function translate(text: string, hashes: ReadonlyMap<string, string>): string {
  return hashes.size === 0 ? text : text.replace(everyHash, (hash) => hashes.get(hash) ?? hash)
}

/** The block tag of a call that can be pinned. */
function tagOf(method: string, params: unknown): string | undefined {
  const index = blockTagIndex[method]
  const tag: unknown = index === undefined || !Array.isArray(params) ? undefined : params[index]
  return pinnedTags.has(tag) ? (tag as string) : undefined
}

/** Parameters with the number that their block tag is pinned to. */
export function pinTag(method: string, params: unknown, tags: Readonly<Record<string, string>>): unknown {
  const tag = tagOf(method, params)
  const number = tag === undefined ? undefined : tags[tag]
  if (number === undefined) return params
  return (params as unknown[]).map((value, index) => (index === blockTagIndex[method] ? number : value))
}

/** A JSON-RPC call that a cassette keeps or answers. */
export interface CassetteCall {
  network: string
  method: string
  /** As they came, undecoded. */
  params: unknown
  transport: string
  /** Undefined where nothing can be pushed. */
  subscriptions: Subscriptions | undefined
  /** Stands for the batch that the call came in. */
  batch?: object | undefined
}

/** Answers a call in another way. */
export type AnswerCall = () => Result | Promise<Result>

/**
 * The answer that was recorded. Where it was the end of the WebSocket, that of the caller ends the same.
 *
 * @throws RpcError if it was an error, an HTTP refusal or an end
 */
export function replayOutcome(outcome: RecordedOutcome, subscriptions: Subscriptions | undefined): WireBytes {
  if ('close' in outcome) {
    subscriptions?.disconnect(outcome.close)
    throw new RpcError(-32603, `the provider's WebSocket closed with ${outcome.close.code}`)
  }
  if ('resultText' in outcome) return new WireBytes([outcome.resultText])
  if ('error' in outcome) {
    const { code, message, data } = outcome.error
    throw new RpcError(code, message, { data: data as JsonValue | undefined, text: outcome.errorText })
  }
  const { status, headers, text = '' } = outcome.http
  const { 'content-type': contentType = 'text/plain', ...others } = headers
  throw new RpcError(-32000, text.trim() === '' ? `HTTP ${status}` : text.trim(), {
    refusal: { status, contentType, headers: others, body: text },
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
