import type { Awaitable } from '../../chain/types.js'
import type { BlockSelector, ChainView, StateAt } from '../../chain/view.js'
import { ServerError } from '../../rpc/errors.js'
import { ChainViewWrapper } from './chainViewWrapper.js'

/** The chain as a backend sees it that keeps the state of its newest blocks only. */
export class PrunedView extends ChainViewWrapper {
  readonly #kept: bigint

  /** @param blocks how many blocks behind the head still have their state */
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
