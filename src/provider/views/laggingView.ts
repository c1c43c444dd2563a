import type { StoredBlock, TransactionLocation } from '../../chain/block/record.js'
import { noBlocks } from '../../chain/block/walk.js'
import type { Awaitable } from '../../chain/types.js'
import {
  type BlockRange,
  type BlockSelector,
  type ChainView,
  type LogLimits,
  type LogQuery,
  type StateAt,
  blockNotFound,
} from '../../chain/view.js'
import { ChainViewWrapper } from './chainViewWrapper.js'

/**
 * The chain as a backend sees it that is some blocks behind: its head is older, newer blocks and their transactions
 * do not exist.
 */
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
    return this.#ifKnown(this.inner.blockByHash(hash))
  }

  override resolve(selector: BlockSelector): StoredBlock | undefined {
    return 'tag' in selector && selector.tag !== 'earliest'
      ? this.#notAfterHead(this.inner.resolve(selector))
      : this.#ifKnown(this.inner.resolve(selector))
  }

  override stateAt(selector: BlockSelector): Awaitable<StateAt> {
    const block = this.resolve(selector)
    if (block === undefined) throw blockNotFound(selector, this.#head)
    return this.inner.stateAt({ hash: block.hash, requireCanonical: false })
  }

  override transactionLocation(hash: Uint8Array): TransactionLocation | undefined {
    const location = this.inner.transactionLocation(hash)
    return this.#ifKnown(location?.block) === undefined ? undefined : location
  }

  override async logs(query: LogQuery, limits: LogLimits): Promise<Uint8Array[]> {
    if (!('from' in query.range)) return this.inner.logs(query, limits)
    const { from, to } = query.range
    const last = to > this.#head.header.number ? this.#head.header.number : to
    return from > last ? [] : this.inner.logs({ ...query, range: { from, to: last } }, limits)
  }

  #ifKnown(block: StoredBlock | undefined): StoredBlock | undefined {
    return block === undefined || block.header.number > this.#head.header.number ? undefined : block
  }

  #notAfterHead(block: StoredBlock | undefined): StoredBlock | undefined {
    return block !== undefined && block.header.number > this.#head.header.number ? this.#head : block
  }
}
