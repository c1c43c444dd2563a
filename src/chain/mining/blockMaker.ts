import { type Awaitable, type Mutex, TimeSlice, runWithin } from '../../encoding/timeSlice.js'
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
  Candidates,
  type ProducedBlock,
  type ProductionInput,
  draftHeader,
  produceBlock,
} from './producer.js'

/** The parts that a {@link BlockMaker} works with. */
export interface BlockMakerParts {
  position: Pick<ChainPosition, 'head' | 'parts'>
  view: ChainView
  clock: Clock
  mempool: Pick<Mempool, 'queues' | 'options'>
  /** The operator's settings for coming blocks; mutable. */
  settings: BlockSettings
}

/** Options for making the next block. */
export interface NextBlockOptions {
  /** The state after the head; the block's changes are applied to it. */
  state: WorkingState
  /** Seconds; the clock's time if absent. */
  timestamp?: bigint | undefined
  maximumTransactions?: number | undefined
  /** The operator's by default. */
  settings?: BlockSettings | undefined
  /** Receives what contracts log to the console. */
  onConsole?: ConsoleListener | undefined
}

/** Options for making a side block. */
export interface BranchBlockOptions {
  candidates: ProductionInput['candidates']
  /** 32 bytes; distinguishes the block from the one that it replaces. */
  prevRandao: Uint8Array
}

/** Options for producing any block. */
interface Production extends NextBlockOptions {
  settings: BlockSettings
  /** Returns the candidates at the block's base fee in wei per gas. */
  candidates: (baseFee: bigint) => Awaitable<ProductionInput['candidates']>
}

/** Drafts and executes blocks, on the head or on another stored block, without storing them. */
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

  /** The timestamp that the next block would have now, in seconds. */
  nextTimestamp(): bigint {
    const { position, clock } = this.#parts
    return clock.peek(position.head.block.header.timestamp)
  }

  /** The fork rules of the next block, as far as its time is known. */
  nextRules(): ForkRules {
    return this.#draftPlace(this.#parts.position.head).rules
  }

  /** Makes the block after the head from the mempool. */
  next({
    state,
    timestamp,
    maximumTransactions,
    onConsole,
    settings = this.#parts.settings,
  }: NextBlockOptions): Promise<ProducedBlock> {
    const { position, mempool } = this.#parts
    const candidates = (baseFee: bigint) => runWithin(Candidates.of(mempool, baseFee), new TimeSlice())
    return this.#produce(position.head, {
      state,
      timestamp,
      maximumTransactions,
      onConsole,
      settings,
      candidates,
    })
  }

  /** Makes a block on any stored parent from given candidates. Settings fixed for the next block are not used up. */
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

  async #produce(
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
      candidates: await candidates(header.baseFeePerGas ?? 0n),
      onConsole,
      maximumTransactions: maximumTransactions ?? settings.maximumTransactions ?? Infinity,
      maximumGas: settings.maximumGas,
      depositContract: position.parts.schedule.depositContract,
      withdrawals: rules.isActivatedEIP(4895) ? [] : undefined,
      blockHash: (number) => ancestorHash(view, header, number),
    })
  }

  /** Returns the timestamp of a block after `head`, in seconds, and the rules that apply then. */
  #draftPlace({ block }: Head, wanted?: bigint): { timestamp: bigint; rules: ForkRules } {
    const { position, clock } = this.#parts
    const timestamp = wanted ?? clock.peek(block.header.timestamp)
    const number = block.header.number + 1n
    return { timestamp, rules: position.parts.schedule.rulesAt({ number, timestamp }) }
  }
}

/** The block that would be mined now: executed but not stored. */
export interface PendingBlock {
  /** Sealed as if it were stored; the hash is provisional. */
  block: SealedBlock
  /** The state after the block. */
  state: StateView
}

/** The parts that {@link PendingBlocks} works with. */
export interface PendingBlocksParts {
  position: Pick<ChainPosition, 'parts' | 'version'>
  mempool: Pick<Mempool, 'version'>
  states: Pick<HeadStates, 'fresh'>
  maker: Pick<BlockMaker, 'next' | 'nextTimestamp'>
  mutex: Mutex
}

/** Caches the pending block until the chain, the mempool or its timestamp changes. */
export class PendingBlocks {
  readonly #parts: PendingBlocksParts
  #cached: { key: string; block: Promise<PendingBlock> } | undefined

  constructor(parts: PendingBlocksParts) {
    this.#parts = parts
  }

  /** Returns the block that would be mined now. */
  current(): Promise<PendingBlock> {
    const { position, mempool, maker, mutex } = this.#parts
    const key = `${position.version}/${mempool.version}/${maker.nextTimestamp()}`
    if (this.#cached?.key !== key) {
      const block = mutex.run(() => this.#make())
      this.#cached = { key, block }
      block.catch(() => {
        if (this.#cached?.block === block) this.#cached = undefined
      })
    }
    return this.#cached.block
  }

  async #make(): Promise<PendingBlock> {
    const { position, states, maker } = this.#parts
    const { block, commitment } = await maker.next({ state: states.fresh() })
    return { block, state: new StatePreview(position.parts.states, commitment) }
  }
}
