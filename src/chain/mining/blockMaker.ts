import type { Mutex } from '../../encoding/timeSlice.js'
import { nextBaseFee } from '../block/header.js'
import type { SealedBlock } from '../block/record.js'
import { ancestorHash } from '../calls/call.js'
import type { ConsoleListener } from '../calls/callObject.js'
import { type ChainPosition, type Head, type HeadStates, isAltered } from '../head/position.js'
import type { Mempool } from '../mempool/mempool.js'
import { StatePreview, WorkingState } from '../state/workingState.js'
import type { ForkRules, StateView } from '../types.js'
import type { ChainView } from '../view.js'
import { type Clock, checkTimestamp } from './schedule.js'
import {
  type BlockSettings,
  type ProducedBlock,
  type ProductionInput,
  draftHeader,
  produceBlock,
} from './producer.js'

/** What blocks are made with. */
export interface BlockMakerParts {
  position: Pick<ChainPosition, 'head' | 'parts'>
  view: ChainView
  clock: Clock
  mempool: Pick<Mempool, 'candidates'>
  /** What the operator decides about coming blocks; changes in place. */
  settings: BlockSettings
}

/** How the next block is made. */
export interface NextBlockOptions {
  /** The state after the head; it holds what the block changed afterwards. */
  state: WorkingState
  /** Seconds; the clock's time if absent. */
  timestamp?: bigint | undefined
  maximumTransactions?: number | undefined
  /** Sees what contracts give to the console. */
  onConsole?: ConsoleListener | undefined
}

/** What a block beside the canonical chain is made from. */
export interface BranchBlockOptions {
  candidates: ProductionInput['candidates']
  /** 32 bytes; sets the block apart from the one whose place it takes. */
  prevRandao: Uint8Array
}

/** How one block is produced. */
interface Production extends NextBlockOptions {
  settings: BlockSettings
  /** What may go into it, at its base fee in wei per gas. */
  candidates: (baseFee: bigint) => ProductionInput['candidates']
}

/** Drafts and executes blocks, on the head or on another stored block; stores none of them. */
export class BlockMaker {
  readonly #parts: BlockMakerParts

  constructor(parts: BlockMakerParts) {
    this.#parts = parts
  }

  /** The base fee of the next block in wei per gas; zero before London. */
  nextBaseFee(): bigint {
    const { position, settings } = this.#parts
    return settings.nextBaseFee ?? nextBaseFee(position.head.block.header, this.nextRules()) ?? 0n
  }

  /** The time in seconds that the next block would have now. */
  nextTimestamp(): bigint {
    const { position, clock } = this.#parts
    return clock.peek(position.head.block.header.timestamp)
  }

  /** The rules of the next block, as far as its time is known. */
  nextRules(): ForkRules {
    return this.#draftPlace(this.#parts.position.head).rules
  }

  /** The block after the head, from what the mempool offers. */
  next({ state, timestamp, maximumTransactions, onConsole }: NextBlockOptions): Promise<ProducedBlock> {
    const { position, mempool, settings } = this.#parts
    const candidates = (baseFee: bigint) => mempool.candidates(baseFee)
    return this.#produce(position.head, {
      state,
      timestamp,
      maximumTransactions,
      onConsole,
      settings,
      candidates,
    })
  }

  /** A block on any stored parent, from given candidates. What is fixed for the next block stays for that one. */
  sideBlock(parent: Head, { candidates, prevRandao }: BranchBlockOptions): Promise<ProducedBlock> {
    const { position, clock } = this.#parts
    const { states } = position.parts
    const settings = { ...this.#parts.settings, nextPrevRandao: prevRandao }
    delete settings.nextBaseFee
    return this.#produce(parent, {
      state: new WorkingState({ base: states.viewAt(parent.workingRoot), store: states }),
      timestamp: clock.peekUnfixed(parent.block.header.timestamp),
      settings,
      candidates: () => candidates,
    })
  }

  #produce(
    head: Head,
    { state, settings, candidates, timestamp: wanted, maximumTransactions, onConsole }: Production,
  ): Promise<ProducedBlock> {
    const { view, position } = this.#parts
    const { block: parent } = head
    const { timestamp, rules } = this.#draftPlace(head, wanted)
    checkTimestamp(timestamp)
    const header = draftHeader(parent, rules, timestamp, settings)
    return produceBlock({
      header,
      rules,
      state,
      parentTotalDifficulty: parent.totalDifficulty,
      altered: isAltered(head),
      candidates: candidates(header.baseFeePerGas ?? 0n),
      onConsole,
      maximumTransactions: maximumTransactions ?? settings.maximumTransactions ?? Infinity,
      maximumGas: settings.maximumGas,
      depositContract: position.parts.schedule.depositContract,
      withdrawals: rules.isActivatedEIP(4895) ? [] : undefined,
      blockHash: (number) => ancestorHash(view, header, number),
    })
  }

  /** The time in seconds of a block after `head`, and the rules that hold then. */
  #draftPlace({ block }: Head, wanted?: bigint): { timestamp: bigint; rules: ForkRules } {
    const { position, clock } = this.#parts
    const timestamp = wanted ?? clock.peek(block.header.timestamp)
    const number = block.header.number + 1n
    return { timestamp, rules: position.parts.schedule.rulesAt({ number, timestamp }) }
  }
}

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
