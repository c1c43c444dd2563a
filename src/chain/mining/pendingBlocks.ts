import type { SealedBlock } from '../block/record.js'
import type { ChainPosition, HeadStates } from '../head/position.js'
import type { Mempool } from '../mempool/mempool.js'
import { StatePreview } from '../state/preview.js'
import type { Mutex } from '../../encoding/mutex.js'
import type { StateView } from '../types.js'
import type { BlockMaker } from './blockMaker.js'

/** The block that would be mined now: executed, but neither sealed nor stored. */
export interface PendingBlock {
  /** As it would be stored; its hash is provisional. */
  block: SealedBlock
  /** The state after it. */
  state: StateView
}

/** What the pending block is made with. */
export interface PendingBlocksParts {
  position: Pick<ChainPosition, 'parts' | 'version'>
  mempool: Pick<Mempool, 'version'>
  states: Pick<HeadStates, 'fresh'>
  maker: Pick<BlockMaker, 'next' | 'nextTimestamp'>
  mutex: Mutex
}

/** The pending block, made once for as long as neither the chain nor the mempool changes and its time stays. */
export class PendingBlocks {
  readonly #parts: PendingBlocksParts
  #made: { key: string; block: Promise<PendingBlock> } | undefined

  constructor(parts: PendingBlocksParts) {
    this.#parts = parts
  }

  /** The block that would be mined now. */
  current(): Promise<PendingBlock> {
    const { position, mempool, maker, mutex } = this.#parts
    const key = `${position.version}/${mempool.version}/${maker.nextTimestamp()}`
    if (this.#made?.key !== key) {
      const block = mutex.run(() => this.#make())
      this.#made = { key, block }
      block.catch(() => {
        this.#made = undefined
      })
    }
    return this.#made.block
  }

  async #make(): Promise<PendingBlock> {
    const { position, states, maker } = this.#parts
    const { block, commitment } = await maker.next({ state: states.fresh() })
    return { block, state: new StatePreview(position.parts.states, commitment) }
  }
}
