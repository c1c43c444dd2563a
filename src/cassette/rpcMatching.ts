import type { RecordedCall } from './entry.js'
import { applyMasks, type CassetteRules } from './rules.js'

/** What a signed transaction does, without its signature, nonce and fees. */
export interface TransactionEffect {
  /** Members that tell transactions apart: type, to, value, data and the like, as wire values. */
  does: Readonly<Record<string, unknown>>
  /** 32 bytes as hexadecimal. */
  hash: string
}

/** Reads a raw transaction; undefined if it is none. */
export type DescribeTransaction = (raw: string) => TransactionEffect | undefined

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
const everyHash = /0x[0-9a-f]{64}/g

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
   * @param tags - numbers that block tags of the network stand for
   */
  callOf(
    network: string,
    method: string,
    params: unknown,
    tags: Readonly<Record<string, string>>,
  ): RecordedCall {
    const effect = this.effectOf(method, params)
    if (effect !== undefined) return ['rpc', network, method, [effect.does]]
    const pinned = pinTag(method, this.#translated(params, this.#recordedHashes), tags)
    return ['rpc', network, method, applyMasks(this.#rules, method, pinned ?? [])]
  }

  /** What the transaction of a send does; undefined for other calls. */
  effectOf(method: string, params: unknown): TransactionEffect | undefined {
    if (method !== 'eth_sendRawTransaction' && method !== 'eth_sendRawTransactionSync') return undefined
    const raw: unknown = Array.isArray(params) ? params[0] : undefined
    return typeof raw === 'string' ? this.#describe(raw) : undefined
  }

  /** Notes that a transaction was recorded under another hash. Both are 32 bytes as lower-case hexadecimal. */
  alias(sent: string, recorded: string): void {
    if (sent === recorded) return
    this.#recordedHashes.set(sent, recorded)
    this.#sentHashes.set(recorded, sent)
  }

  /** A recorded answer as the caller expects it, with the hashes of the transactions that it sent. */
  answerFor<T>(recorded: T): T {
    return this.#translated(recorded, this.#sentHashes)
  }

  /** Whether a tag of this call is to be pinned and is not known yet; the tag then. */
  unknownTag(method: string, params: unknown, tags: Readonly<Record<string, string>>): string | undefined {
    if (this.#rules.pinBlockTags !== true) return undefined
    const tag = tagOf(method, params)
    return tag !== undefined && tags[tag] === undefined ? tag : undefined
  }

  #translated<T>(value: T, hashes: ReadonlyMap<string, string>): T {
    if (hashes.size === 0 || value === undefined) return value
    const text = JSON.stringify(value)
    const translated = text.replace(everyHash, (hash) => hashes.get(hash) ?? hash)
    return translated === text ? value : (JSON.parse(translated) as T)
  }
}

/** The block tag of a call that can be pinned. */
export function tagOf(method: string, params: unknown): string | undefined {
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
