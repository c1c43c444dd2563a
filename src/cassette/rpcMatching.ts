import { parseJsonInSteps } from '../encoding/json.js'
import { TextPieces } from '../encoding/jsonText.js'
import { STRING_AT_ONCE, partsOf, stringifyJsonInSteps } from '../encoding/jsonWriter.js'
import { type Awaitable, type Steps, TimeSlice, runWithin, whenReady } from '../encoding/timeSlice.js'
import { RpcError } from '../rpc/errors.js'
import { type PieceWriter, written } from '../rpc/format/pieces.js'
import type { Result } from '../rpc/method.js'
import type { Subscriptions } from '../rpc/session.js'
import { type JsonValue, WireBytes } from '../rpc/wire.js'
import type { RecordedCall, RecordedOutcome, RpcErrorObject } from './entry.js'
import { type CassetteRules, applyMasks } from './rules.js'

/** Effect of a sent transaction. */
export interface SendEffect {
  /** Members that distinguish transactions: such as type, to, value and data, as wire values. */
  does: Readonly<Record<string, unknown>>
  /** 32 bytes as lower-case hexadecimal. */
  hash: string
}

/** Decodes a raw transaction; undefined if it is invalid. */
export type DescribeTransaction = (raw: string) => SendEffect | undefined

/** Index of the parameter that may be a block tag, by method. */
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
const HASH_LENGTH = 66
/** Maximum characters of a raw transaction whose effect is read: a megabyte, as in geth's blob pool. */
const MAX_TRANSACTION_LENGTH = 2 + 2 * 1024 * 1024

/**
 * Normalizes JSON-RPC calls for matching: masked parameters, pinned block tags, and for sends the transaction's
 * effect. Where a transaction's hash differs from the recorded one, because its signature does, later calls and
 * answers are translated between the two.
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
   * Returns the normalized call.
   *
   * @param effect - effect of the transaction that it sends, if any
   * @param tags - numbers that the network's block tags stand for
   */
  *callOf(
    { network, method, params }: { network: string; method: string; params: unknown },
    effect: SendEffect | undefined,
    tags: Readonly<Record<string, string>>,
  ): Steps<RecordedCall> {
    if (effect !== undefined) return ['rpc', network, method, [effect.does]]
    const pinned = pinTag(method, yield* this.#asRecorded(params), tags)
    return ['rpc', network, method, applyMasks(this.#rules, method, pinned ?? [])]
  }

  /** Returns the effect of the transaction that a call sends; undefined for other calls, and if it is too long. */
  effectOf(method: string, params: unknown): SendEffect | undefined {
    if (!method.startsWith('eth_sendRawTransaction')) return undefined
    const raw: unknown = Array.isArray(params) ? params[0] : undefined
    return typeof raw === 'string' && raw.length <= MAX_TRANSACTION_LENGTH ? this.#describe(raw) : undefined
  }

  /**
   * Remembers the hash under which a transaction was recorded.
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

  /**
   * Replays a recorded outcome with the hashes of the caller's transactions.
   *
   * @throws RpcError as {@link replayOutcome} does
   */
  replay(outcome: RecordedOutcome, subscriptions: Subscriptions | undefined): Awaitable<WireBytes> {
    if ('resultText' in outcome) return this.resultFor(outcome.resultText)
    if (this.#sentHashes.size === 0 || !('errorText' in outcome)) return replayOutcome(outcome, subscriptions)
    const translated = runWithin(this.#errorFor(outcome.errorText), new TimeSlice())
    return whenReady(translated, (error) => replayOutcome(error, subscriptions))
  }

  /** Translates a recorded result to the hashes of the caller's transactions. */
  resultFor(text: string): Awaitable<WireBytes> {
    if (this.#sentHashes.size === 0) return resultWire(text)
    return resultWire(text, (parts) => translate(parts, this.#sentHashes))
  }

  *#errorFor(text: string): Steps<RecordedOutcome> {
    const translated = yield* translateAll(partsOf(text), this.#sentHashes)
    return { error: (yield* parseJsonInSteps(translated)) as RpcErrorObject, errorText: translated.slice(0) }
  }

  /** Returns the tag of a call if it must be pinned and is not known yet. */
  unknownTag(method: string, params: unknown, tags: Readonly<Record<string, string>>): string | undefined {
    if (this.#rules.pinBlockTags !== true) return undefined
    const tag = tagOf(method, params)
    return tag !== undefined && tags[tag] === undefined ? tag : undefined
  }

  *#asRecorded(params: unknown): Steps<unknown> {
    if (this.#recordedHashes.size === 0 || params === undefined) return params
    const text = yield* stringifyJsonInSteps(params)
    return yield* parseJsonInSteps(yield* translateAll(text, this.#recordedHashes))
  }
}

function* translateAll(parts: Iterable<string>, hashes: ReadonlyMap<string, string>): Steps<TextPieces> {
  const translated = new TextPieces()
  for (const part of translate(parts, hashes)) {
    translated.push(part)
    yield
  }
  return translated
}

/** Replaces hashes in a text, part by part. */
function* translate(parts: Iterable<string>, hashes: ReadonlyMap<string, string>): Generator<string> {
  let rest = ''
  for (const part of parts) {
    const text = rest + part
    const end = endOfHashes(text)
    yield replaceHashes(text.slice(0, end), hashes)
    rest = text.slice(end)
  }
  yield replaceHashes(rest, hashes)
}

/** Returns where the last hash of an incomplete text may begin; the length of the text if none can continue it. */
function endOfHashes(text: string): number {
  const begin = text.indexOf('0x', text.length - HASH_LENGTH)
  if (begin !== -1) return begin
  return text.endsWith('0') ? text.length - 1 : text.length
}

function replaceHashes(text: string, hashes: ReadonlyMap<string, string>): string {
  return text.replace(everyHash, (hash) => hashes.get(hash) ?? hash)
}

/** Returns the block tag of a call if it can be pinned. */
function tagOf(method: string, params: unknown): string | undefined {
  const index = blockTagIndex[method]
  const tag: unknown = index === undefined || !Array.isArray(params) ? undefined : params[index]
  return pinnedTags.has(tag) ? (tag as string) : undefined
}

/** Replaces the block tag in parameters by the number that it is pinned to. */
export function pinTag(method: string, params: unknown, tags: Readonly<Record<string, string>>): unknown {
  const tag = tagOf(method, params)
  const number = tag === undefined ? undefined : tags[tag]
  if (number === undefined) return params
  return (params as unknown[]).map((value, index) => (index === blockTagIndex[method] ? number : value))
}

/** A JSON-RPC call for a cassette to record or answer. */
export interface CassetteCall {
  network: string
  method: string
  /** Raw, undecoded parameters. */
  params: unknown
  transport: string
  /** Undefined where nothing can be pushed. */
  subscriptions: Subscriptions | undefined
  /** Identifies the batch that contained the call. */
  batch?: object | undefined
}

/** Answers a call in another way. */
export type AnswerCall = () => Awaitable<Result>

/**
 * Replays a recorded outcome. If it was the end of the WebSocket, the caller's WebSocket is closed the same way.
 *
 * @throws RpcError if it was an error, an HTTP refusal or the end of the WebSocket
 */
export function replayOutcome(
  outcome: RecordedOutcome,
  subscriptions: Subscriptions | undefined,
): Awaitable<WireBytes> {
  if ('close' in outcome) {
    subscriptions?.disconnect(outcome.close)
    throw new RpcError(-32603, `the provider's WebSocket closed with ${outcome.close.code}`)
  }
  if ('resultText' in outcome) return resultWire(outcome.resultText)
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

/** Returns a result given as JSON text. @param translated - replaces hashes in the parts of the text */
function resultWire(text: string, translated = (parts: Iterable<string>) => parts): Awaitable<WireBytes> {
  if (text.length <= STRING_AT_ONCE) return new WireBytes([...translated([text])])
  return written((writer) => writeText(translated(partsOf(text)), writer))
}

function* writeText(parts: Iterable<string>, writer: PieceWriter): Steps<void> {
  for (const part of parts) {
    writer.append(part)
    yield
  }
}

const CHANGES = /^(?:eth_send|(?:evm|anvil|hardhat|ganache)_)/

/** Returns whether a method may change the chain: notifications are placed between such calls. */
export function isChange(method: string): boolean {
  return CHANGES.test(method)
}

const HEAD_METHODS: ReadonlySet<string> = new Set([
  ...['eth_blockNumber', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_blobBaseFee', 'eth_feeHistory'],
])
const HEAD_TAGS: ReadonlySet<unknown> = new Set(['latest', 'pending', 'safe', 'finalized'])

/**
 * Returns how answers to a call follow the chain: `head` reports where it is, `news` what arrived since the last
 * call, so that polling loops of any speed see the same. Undefined for other calls.
 */
export function followsChain(method: string, params: unknown): 'head' | 'news' | undefined {
  if (method === 'eth_getFilterChanges') return 'news'
  if (HEAD_METHODS.has(method)) return 'head'
  const isHead = method === 'eth_getBlockByNumber' && Array.isArray(params) && HEAD_TAGS.has(params[0])
  return isHead ? 'head' : undefined
}
