import type { StoredBlock, TransactionLocation } from '../../chain/block/record.js'
import type { PendingBlock } from '../../chain/mining/pendingBlocks.js'
import type { Awaitable } from '../../chain/types.js'
import type { BlockRange, BlockSelector, ChainView, LogLimits, LogQuery, StateAt } from '../../chain/view.js'

/** A view that shows another one as it is; what a fault changes is overridden. */
export class ChainViewWrapper implements ChainView {
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

  isCanonical(block: StoredBlock): boolean {
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

  blockHeadWire(block: StoredBlock): Uint8Array {
    return this.inner.blockHeadWire(block)
  }

  transactionsWire(block: StoredBlock): Uint8Array {
    return this.inner.transactionsWire(block)
  }

  transactionWire(block: StoredBlock, index: number): Uint8Array {
    return this.inner.transactionWire(block, index)
  }

  transactionWires(block: StoredBlock, begin: number, end: number): Uint8Array[] {
    return this.inner.transactionWires(block, begin, end)
  }

  receiptsWire(block: StoredBlock): Uint8Array {
    return this.inner.receiptsWire(block)
  }

  receiptWire(block: StoredBlock, index: number): Uint8Array {
    return this.inner.receiptWire(block, index)
  }

  receiptWires(block: StoredBlock, begin: number, end: number): Uint8Array[] {
    return this.inner.receiptWires(block, begin, end)
  }

  rulesAt(...place: Parameters<ChainView['rulesAt']>): ReturnType<ChainView['rulesAt']> {
    return this.inner.rulesAt(...place)
  }

  logs(query: LogQuery, limits: LogLimits): Promise<Uint8Array[]> {
    return this.inner.logs(query, limits)
  }
}
