import { errorText } from '../../encoding/errorText.js'
import { stringifyJsonInSteps } from '../../encoding/jsonWriter.js'
import { type Awaitable, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { RemoteStateError } from '../../chain/errors.js'
import type { ForkPoint } from '../../chain/fork/forkPoint.js'
import type { RemoteAccount, RemoteState } from '../../chain/fork/overlay.js'
import type { HeaderFields } from '../../chain/types.js'
import { type Hex, bigintToBytes, bytesToHex, hexToBytes, quantity } from '../../encoding/hex.js'
import type { NodeSettings } from '../../options.js'
import type { RemoteChain } from '../../rpc/fork/remoteChain.js'
import { ForkError, RemoteClient, type RemoteReads } from './remoteClient.js'
import { type ForkCaches, type StateCache, isEmpty } from './stateCache.js'

/** A remote chain forked at one of its blocks. */
export interface Fork extends Omit<ForkPoint, 'funded' | 'balance'> {
  /** URL without the block number. Contains the provider's key, so it is never shown. */
  readonly url: string
  /** URL for display, without secrets. */
  readonly shownUrl: string
  chainId: bigint
  /** Forwards requests to the remote chain. */
  remote: RemoteChain
  /** Switches to another node of the same chain. @throws ForkError if it lacks the fork block */
  redirect(url: string): Promise<void>
  close(): void
}

/** Options of a fork. */
export type ForkSettings = Pick<
  NodeSettings,
  'forkUrl' | 'forkBlock' | 'forkRetries' | 'forkBackoff' | 'forkTimeout' | 'forkHeader'
>

/** Parameters of a fork besides its settings. */
export interface ForkContext {
  /** Fork block of a chain that is already stored. */
  stored?: bigint | undefined
  caches: Pick<ForkCaches, 'open'>
  /** Intercepts reads of the remote. */
  reads?: RemoteReads | undefined
  /** Aborts the opening. */
  signal?: AbortSignal | undefined
}

/**
 * Opens a fork: connects to the remote chain and finds its fork block.
 *
 * @throws ForkError if the remote does not answer or lacks the block
 */
export async function openFork(
  settings: ForkSettings,
  { stored, caches, reads, signal }: ForkContext,
): Promise<Fork | undefined> {
  if (settings.forkUrl === undefined) return undefined
  const { url, number: inUrl } = splitUrl(settings.forkUrl)
  const client = new RemoteClient({
    url,
    headers: parseHeaders(settings.forkHeader),
    retries: settings.forkRetries,
    backoff: settings.forkBackoff,
    timeout: settings.forkTimeout,
    reads,
  })
  const stop = (): void => client.stop()
  signal?.addEventListener('abort', stop)
  try {
    const wanted = settings.forkBlock ?? inUrl ?? stored
    const [chainId, block] = (await Promise.all([
      client.request('eth_chainId', []),
      client.request('eth_getBlockByNumber', [wanted === undefined ? 'latest' : quantity(wanted), false]),
    ])) as [Hex, RemoteBlock | null]
    if (block === null) throw new ForkError(`${client.shownUrl} has no block ${wanted}`)
    return await createFork(client, { caches, chainId: BigInt(chainId), block })
  } catch (error) {
    client.stop()
    if (error instanceof ForkError) throw error
    const reason = errorText(error)
    throw new ForkError(`${client.shownUrl}: ${reason}`, { cause: error })
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

async function createFork(
  client: RemoteClient,
  { caches, chainId, block }: { caches: ForkContext['caches']; chainId: bigint; block: RemoteBlock },
): Promise<Fork> {
  const header = headerOf(block)
  const subject = { chainId, number: header.number, hash: hexToBytes(block.hash) }
  const cache = await caches.open(client.url, subject)
  const request = (method: string, params: readonly unknown[]) =>
    asChainErrors(client.request(method, params))
  return {
    get url() {
      return client.url
    },
    get shownUrl() {
      return client.shownUrl
    },
    chainId,
    header,
    totalDifficulty: BigInt(block.totalDifficulty ?? 0),
    state: new FetchedState({ request }, cache, header.number),
    remote: {
      forkBlock: header.number,
      chainId,
      get shownUrl() {
        return client.shownUrl
      },
      request: withAnswerCache((method, params) => client.request(method, params), header.number),
    },
    redirect: (other) => client.redirect(other, block),
    earlierHash: async (number) => {
      const earlier = (await request('eth_getBlockByNumber', [quantity(number), false])) as RemoteBlock | null
      return earlier === null ? undefined : hexToBytes(earlier.hash)
    },
    close: () => {
      client.stop()
      cache.close()
    },
  }
}

/** Converts errors to those of chains, the only ones that executions and reads know. */
async function asChainErrors(result: Promise<unknown>): Promise<unknown> {
  try {
    return await result
  } catch (error) {
    const reason = errorText(error)
    throw new RemoteStateError(`the forked chain could not be read: ${reason}`, { cause: error })
  }
}

/** Parses lines of the form `NAME: VALUE`. */
function parseHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}

/** Splits `URL@BLOCK`. */
export function splitUrl(text: string): { url: string; number: bigint | undefined } {
  const [, url = text, number] = /^(.+)@(\d+)$/.exec(text) ?? []
  if (!URL.canParse(url)) throw new ForkError('--fork-url is not a URL')
  return { url, number: number === undefined ? undefined : BigInt(number) }
}

/** Members of a block on the wire that form its header (execution-apis, schemas/block). */
export interface RemoteBlock {
  number: Hex
  hash: Hex
  parentHash: Hex
  sha3Uncles: Hex
  miner: Hex
  stateRoot: Hex
  transactionsRoot: Hex
  receiptsRoot: Hex
  logsBloom: Hex
  difficulty?: Hex | null
  totalDifficulty?: Hex | null
  gasLimit: Hex
  gasUsed: Hex
  timestamp: Hex
  extraData: Hex
  mixHash?: Hex
  nonce?: Hex | null
  baseFeePerGas?: Hex
  withdrawalsRoot?: Hex
  blobGasUsed?: Hex
  excessBlobGas?: Hex
  parentBeaconBlockRoot?: Hex
  requestsHash?: Hex
}

/** Converts a wire block to its header. */
function headerOf(block: RemoteBlock): HeaderFields {
  const header: HeaderFields = {
    parentHash: hexToBytes(block.parentHash),
    uncleHash: hexToBytes(block.sha3Uncles),
    coinbase: hexToBytes(block.miner),
    stateRoot: hexToBytes(block.stateRoot),
    transactionsRoot: hexToBytes(block.transactionsRoot),
    receiptsRoot: hexToBytes(block.receiptsRoot),
    logsBloom: hexToBytes(block.logsBloom),
    difficulty: BigInt(block.difficulty ?? 0),
    number: BigInt(block.number),
    gasLimit: BigInt(block.gasLimit),
    gasUsed: BigInt(block.gasUsed),
    timestamp: BigInt(block.timestamp),
    extraData: hexToBytes(block.extraData),
    mixHash: block.mixHash === undefined ? new Uint8Array(32) : hexToBytes(block.mixHash),
    nonce: hexToBytes(block.nonce ?? '0x0000000000000000'),
  }
  if (block.baseFeePerGas !== undefined) header.baseFeePerGas = BigInt(block.baseFeePerGas)
  if (block.withdrawalsRoot !== undefined) header.withdrawalsRoot = hexToBytes(block.withdrawalsRoot)
  if (block.blobGasUsed !== undefined) header.blobGasUsed = BigInt(block.blobGasUsed)
  if (block.excessBlobGas !== undefined) header.excessBlobGas = BigInt(block.excessBlobGas)
  if (block.parentBeaconBlockRoot !== undefined)
    header.parentBeaconBlockRoot = hexToBytes(block.parentBeaconBlockRoot)
  if (block.requestsHash !== undefined) header.requestsHash = hexToBytes(block.requestsHash)
  return header
}

/** Methods whose answers about blocks up to the fork never change. */
const settledMethods: ReadonlySet<string> = new Set([
  'eth_feeHistory',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getHeaderByHash',
  'eth_getHeaderByNumber',
  'eth_getLogs',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
])

/** Maximum characters of JSON of all cached answers, and of a single one. */
const CAPACITY = 16 * 1024 * 1024
const MAX_ANSWER = CAPACITY / 8

/** Calls a method of a remote node. */
type Request = (method: string, params: readonly unknown[]) => Promise<unknown>

/**
 * Caches a remote's answers about blocks, transactions, receipts and logs up to the fork, evicting the least recently
 * used. Callers must not modify the answers.
 *
 * @param forkBlock - transactions outside blocks up to this one may still move
 */
function withAnswerCache(request: Request, forkBlock: bigint): Request {
  const kept = new Map<string, { answer: unknown; size: number }>()
  let total = 0
  const keep = async (key: string, answer: unknown): Promise<void> => {
    const pieces = await runInSlices(stringifyJsonInSteps(answer), new TimeSlice())
    const size = pieces.reduce((sum, { length }) => sum + length, key.length)
    if (size > MAX_ANSWER || kept.has(key)) return
    kept.set(key, { answer, size })
    total += size
    for (const [oldest, entry] of kept) {
      if (total <= CAPACITY) return
      kept.delete(oldest)
      total -= entry.size
    }
  }
  return async (method, params) => {
    if (!settledMethods.has(method)) return request(method, params)
    const key = JSON.stringify([method, params])
    const known = kept.get(key)
    if (known !== undefined) {
      kept.delete(key)
      kept.set(key, known)
      return known.answer
    }
    const answer = await request(method, params)
    if (isSettled(answer, forkBlock)) await keep(key, answer)
    return answer
  }
}

/** Whether an answer is final. Unknown and pending items, and those above the fork, may still change. */
function isSettled(answer: unknown, forkBlock: bigint): boolean {
  if (typeof answer !== 'object' || answer === null) return false
  const { blockNumber, number } = answer as { blockNumber?: unknown; number?: unknown }
  const place = blockNumber === undefined ? number : blockNumber
  return place === undefined || (typeof place === 'string' && BigInt(place) <= forkBlock)
}

/** The state of a remote chain after one block, fetched on demand and cached. */
class FetchedState implements RemoteState {
  readonly #client: Pick<RemoteClient, 'request'>
  readonly #cache: StateCache
  readonly #block: string
  /** Requests in progress, so that nothing is fetched twice. */
  readonly #inFlight = new Map<string, Promise<unknown>>()

  constructor(client: Pick<RemoteClient, 'request'>, cache: StateCache, number: bigint) {
    this.#client = client
    this.#cache = cache
    this.#block = quantity(number)
  }

  getAccount(address: Uint8Array): Awaitable<RemoteAccount | undefined> {
    if (this.#cache.hasAccount(address)) return this.#cache.account(address)
    return this.#once(bytesToHex(address), () => this.#fetchAccount(address))
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array> {
    const known = this.#cache.slot(address, slot)
    if (known !== undefined) return known
    return this.#once(bytesToHex(address) + bytesToHex(slot), () => this.#fetchSlot(address, slot))
  }

  async #fetchAccount(address: Uint8Array): Promise<RemoteAccount | undefined> {
    const params = [bytesToHex(address), this.#block]
    const [nonce, balance, code] = (await Promise.all([
      this.#client.request('eth_getTransactionCount', params),
      this.#client.request('eth_getBalance', params),
      this.#client.request('eth_getCode', params),
    ])) as [Hex, Hex, Hex]
    const remoteAccount = { nonce: BigInt(nonce), balance: BigInt(balance), code: hexToBytes(code) }
    const account = isEmpty(remoteAccount) ? undefined : remoteAccount
    this.#cache.putAccount(address, account)
    return account
  }

  async #fetchSlot(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array> {
    const params = [bytesToHex(address), bytesToHex(slot), this.#block]
    const value = bigintToBytes(BigInt((await this.#client.request('eth_getStorageAt', params)) as Hex), 32)
    this.#cache.putSlot(address, slot, value)
    return value
  }

  #once<Value>(key: string, load: () => Promise<Value>): Promise<Value> {
    const known = this.#inFlight.get(key) as Promise<Value> | undefined
    if (known !== undefined) return known
    const fetching = load().finally(() => this.#inFlight.delete(key))
    this.#inFlight.set(key, fetching)
    return fetching
  }
}
