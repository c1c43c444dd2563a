import type { Awaitable } from '../../encoding/timeSlice.js'
import type { BlockPosition, BlockWire, StoredBlock, TransactionLocation } from '../../chain/block/record.js'
import type { PendingBlock } from '../../chain/mining/blockMaker.js'
import {
  type BlockRange,
  type BlockSelector,
  type ChainView,
  type LogLimits,
  type LogQuery,
  type StateAt,
  blockNotFound,
  noBlocks,
} from '../../chain/view.js'
import { ServerError } from '../../rpc/errors.js'

/** Delegates to another view; subclasses override what a fault changes. */
class ChainViewWrapper implements ChainView {
  protected readonly inner: ChainView

  constructor(inner: ChainView) {
    this.inner = inner
  }

  get chainId(): bigint {
    return this.inner.chainId
  }

  head(): StoredBlock {
    return this.inner.head()
  }

  blockByNumber(number: bigint): StoredBlock | undefined {
    return this.inner.blockByNumber(number)
  }

  blocksWithTransactions(range: BlockRange): AsyncIterable<StoredBlock> {
    return this.inner.blocksWithTransactions(range)
  }

  earlierHash(number: bigint): Awaitable<Uint8Array | undefined> {
    return this.inner.earlierHash(number)
  }

  blockByHash(hash: Uint8Array): StoredBlock | undefined {
    return this.inner.blockByHash(hash)
  }

  isCanonical(block: BlockPosition): boolean {
    return this.inner.isCanonical(block)
  }

  resolve(selector: BlockSelector): StoredBlock | undefined {
    return this.inner.resolve(selector)
  }

  pendingBlock(): Promise<PendingBlock> {
    return this.inner.pendingBlock()
  }

  stateAt(selector: BlockSelector): Awaitable<StateAt> {
    return this.inner.stateAt(selector)
  }

  transactionLocation(hash: Uint8Array): TransactionLocation | undefined {
    return this.inner.transactionLocation(hash)
  }

  wire(block: StoredBlock): BlockWire {
    return this.inner.wire(block)
  }

  rulesAt(...place: Parameters<ChainView['rulesAt']>): ReturnType<ChainView['rulesAt']> {
    return this.inner.rulesAt(...place)
  }

  logs(query: LogQuery, limits: LogLimits): Promise<Uint8Array[]> {
    return this.inner.logs(query, limits)
  }
}

/** The chain as seen by a backend that lags some blocks behind: newer blocks and their transactions do not exist. */
export class LaggingView extends ChainViewWrapper {
  readonly #head: StoredBlock

  constructor(inner: ChainView, blocks: number) {
    super(inner)
    const newest = inner.head()
    const number = newest.header.number - BigInt(blocks)
    this.#head = inner.blockByNumber(number > 0n ? number : 0n) ?? newest
  }

  override head(): StoredBlock {
    return this.#head
  }

  override blockByNumber(number: bigint): StoredBlock | undefined {
    return number > this.#head.header.number ? undefined : this.inner.blockByNumber(number)
  }

  override blocksWithTransactions(range: BlockRange): AsyncIterable<StoredBlock> {
    const newest = this.#head.header.number
    return range.from > newest || range.to > newest ? noBlocks() : this.inner.blocksWithTransactions(range)
  }

  override blockByHash(hash: Uint8Array): StoredBlock | undefined {
    return this.#ifVisible(this.inner.blockByHash(hash))
  }

  override resolve(selector: BlockSelector): StoredBlock | undefined {
    return 'tag' in selector && selector.tag !== 'earliest'
      ? this.#clampToHead(this.inner.resolve(selector))
      : this.#ifVisible(this.inner.resolve(selector))
  }

  override stateAt(selector: BlockSelector): Awaitable<StateAt> {
    const block = this.resolve(selector)
    if (block === undefined) throw blockNotFound(selector, this.#head)
    return this.inner.stateAt({ hash: block.hash, requireCanonical: false })
  }

  override transactionLocation(hash: Uint8Array): TransactionLocation | undefined {
    const location = this.inner.transactionLocation(hash)
    return this.#ifVisible(location?.block) === undefined ? undefined : location
  }

  override async logs(query: LogQuery, limits: LogLimits): Promise<Uint8Array[]> {
    if (!('from' in query.range)) return this.inner.logs(query, limits)
    const { from, to } = query.range
    const last = to > this.#head.header.number ? this.#head.header.number : to
    return from > last ? [] : this.inner.logs({ ...query, range: { from, to: last } }, limits)
  }

  #ifVisible(block: StoredBlock | undefined): StoredBlock | undefined {
    return block === undefined || block.header.number > this.#head.header.number ? undefined : block
  }

  #clampToHead(block: StoredBlock | undefined): StoredBlock | undefined {
    return block !== undefined && block.header.number > this.#head.header.number ? this.#head : block
  }
}

/** The chain as seen by a backend that keeps the state of recent blocks only. */
export class PrunedView extends ChainViewWrapper {
  readonly #kept: bigint

  /** @param blocks - how many blocks behind the head still have their state */
  constructor(inner: ChainView, blocks: number) {
    super(inner)
    this.#kept = BigInt(blocks)
  }

  override stateAt(selector: BlockSelector): Awaitable<StateAt> {
    const block = this.inner.resolve(selector)
    if (block !== undefined && block.header.number < this.inner.head().header.number - this.#kept) {
      throw new ServerError('no nodes available for requested block height after filtering 6 available nodes')
    }
    return this.inner.stateAt(selector)
  }
}
