import { Mutex, TimeSlice, nextTurn } from '../encoding/timeSlice.js'
import type { SealedBlock, StoredBlock } from './block/record.js'
import type { ConsoleListener } from './calls/callObject.js'
import { ChainStoppedError } from './errors.js'
import { ChainPosition, type Head, type HeadMove, HeadStates, type MoveOptions } from './head/position.js'
import type { BlockParts } from './import/blockParts.js'
import { executeOnParent } from './import/executeBlock.js'
import type { Mempool } from './mempool/mempool.js'
import { BlockMaker, type BranchBlockOptions, PendingBlocks } from './mining/blockMaker.js'
import type { BlockSettings, ProducedBlock } from './mining/producer.js'
import { nextRandomness } from './mining/randomness.js'
import type { Clock } from './mining/schedule.js'
import {
  type ChainBase,
  ChainEvents,
  type ChainParts,
  ChainReader,
  type ChainSources,
  type ChainStores,
  storesOf,
} from './reader.js'
import { type StateCommitment, commitInBatches } from './state/stateStore.js'
import type { WorkingState } from './state/workingState.js'
import type { ForkRules, HeaderFields } from './types.js'

/** How one block is mined. */
export interface MineOptions {
  /** Seconds; the clock's time if absent. */
  timestamp?: bigint
  maximumTransactions?: number
}

/** A block that became the head just now. */
export interface MinedBlock {
  block: StoredBlock
  /** The same block as its execution left it, with what its transactions returned. */
  executed: SealedBlock
}

/**
 * A chain: its position, and everything that moves it. Every change passes a mutex, is stored by one atomic write,
 * and is announced only afterwards.
 */
export class Chain {
  readonly events: ChainEvents
  readonly view: ChainReader
  readonly clock: Clock
  readonly mempool: Mempool
  readonly settings: BlockSettings
  /** What blocks and states are read from. */
  readonly stores: ChainStores
  /** Sees what contracts give to the console while blocks are mined. */
  onConsole: ConsoleListener | undefined
  readonly #mutex = new Mutex()
  #isStopping = false
  readonly #position: ChainPosition
  readonly #states: HeadStates
  readonly #maker: BlockMaker
  readonly #pending: PendingBlocks

  constructor(parts: ChainParts) {
    const { clock, mempool, settings } = parts
    this.events = new ChainEvents(parts.report)
    const position = new ChainPosition(parts)
    const states = new HeadStates(position)
    const view = new ChainReader(this.#sources(position))
    const maker = new BlockMaker({ position, view, clock, mempool, settings })
    const mutex = this.#mutex
    this.#pending = new PendingBlocks({ position, mempool, states, maker, mutex })
    this.#position = position
    this.#states = states
    this.#maker = maker
    this.clock = clock
    this.mempool = mempool
    this.settings = settings
    this.view = view
    this.stores = storesOf(() => position.parts)
  }

  /** What the chain stands on. */
  get base(): ChainBase {
    return this.#position.parts
  }

  /** The genesis, or the block that a fork goes on from. */
  get first(): StoredBlock {
    return this.#position.parts.first
  }

  get head(): Head {
    return this.#position.head
  }

  /** Whether the node is about to stop: what takes many blocks ends behind the one that it is at. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Lets orders of many blocks end early from now on; other changes still pass. */
  beginStop(): void {
    this.#isStopping = true
  }

  /** Takes no change any more, and waits for the one that is under way: the data is about to be closed. */
  close(): Promise<void> {
    this.beginStop()
    return this.#mutex.close(() => new ChainStoppedError())
  }

  /**
   * Runs work that no other change of this chain comes between.
   *
   * @throws ChainStoppedError if the chain was closed before.
   */
  exclusively<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#mutex.run(work)
  }

  /** Runs work that changes nothing and that no change of this chain comes between; also when the chain was closed. */
  unchanged<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#mutex.runEvenClosed(work)
  }

  /** The base fee of the next block in wei per gas; zero before London. */
  nextBaseFee(): bigint {
    return this.#maker.nextBaseFee()
  }

  /** The rules of the next block, as far as its time is known. */
  nextRules(): ForkRules {
    return this.#maker.nextRules()
  }

  /**
   * Mines one block now from what the mempool offers. Only within {@link exclusively}.
   *
   * @throws TimestampError if the block cannot have the time that was asked for.
   */
  async mine({ timestamp, maximumTransactions }: MineOptions = {}): Promise<MinedBlock> {
    if (timestamp !== undefined) this.clock.check(timestamp, this.head.block.header.timestamp)
    const state = this.#states.take()
    const { onConsole } = this
    const produced = await this.#maker.next({ state, timestamp, maximumTransactions, onConsole })
    return this.#adopt(produced, state, timestamp)
  }

  /**
   * Mines blocks, one after another, until no transaction is left that can be executed now, or the node is to stop.
   * Reading has its turn between them. Only within {@link exclusively}.
   *
   * @param onMined - called with each block
   */
  async mineEachReady(
    { maximumTransactions }: Pick<MineOptions, 'maximumTransactions'>,
    onMined?: (block: MinedBlock) => void,
  ): Promise<void> {
    const slice = new TimeSlice()
    while (!this.#isStopping && this.mempool.hasCandidates(this.nextBaseFee())) {
      const state = this.#states.take()
      const { onConsole } = this
      const produced = await this.#maker.next({ state, maximumTransactions, onConsole })
      if (produced.block.transactions.length === 0) return
      const mined = await this.#adopt(produced, state)
      onMined?.(mined)
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
  }

  /**
   * Executes a block that was made elsewhere on its parent's state, checks it and stores it. On the head it becomes the
   * next head; on another parent it is kept beside the canonical chain, for {@link moveHead} to find. Only within
   * {@link exclusively}.
   *
   * @throws ImportError if it does not check; nothing has changed then.
   */
  async importBlock(block: BlockParts): Promise<StoredBlock> {
    const sources = { position: this.#position, states: this.#states, view: this.view }
    const { parent, produced, state } = await executeOnParent(sources, block)
    await nextTurn()
    if (parent.ordinal !== this.head.block.ordinal) return this.#storeSideBlock(produced)
    return this.#become(produced, state, () => {
      this.settings.gasLimit = block.header.gasLimit
    })
  }

  /**
   * Makes a block on any stored parent and keeps it beside the canonical chain; {@link moveHead} can make it the head.
   * Only within {@link exclusively}.
   */
  async mineSideBlock(parent: Head, options: BranchBlockOptions): Promise<StoredBlock> {
    return this.#storeSideBlock(await this.#maker.sideBlock(parent, options))
  }

  /** Keeps a block that came with neither its state nor its parent's. Only within {@link exclusively}. */
  storeForeign(block: SealedBlock): Promise<StoredBlock> {
    return this.#position.store(block)
  }

  /** Changes the state that `latest` reads, without a block. Only within {@link exclusively}. */
  async editState(edit: (state: WorkingState) => Promise<void>): Promise<void> {
    this.#position.alter(await this.draftState(edit))
    await this.commitProgress()
  }

  /**
   * The state that `latest` reads with a change. Most of a large one is stored already, what is given is not. Only within
   * {@link exclusively}.
   */
  async draftState(edit: (state: WorkingState) => Promise<void>): Promise<StateCommitment> {
    const state = this.#states.fresh()
    await edit(state)
    return commitInBatches(this.stores, await state.computeRootInSlices(new TimeSlice()))
  }

  /**
   * Makes another stored block the head, with a working root of its own. Nothing is announced: a revert and a
   * reorganisation say different things about the same move. Only within {@link exclusively}.
   */
  moveHead(head: Head, options?: MoveOptions): HeadMove {
    return this.#position.move(head, options)
  }

  /**
   * Goes over to another base and its stored head. What the old one had stays where it is, and is not seen any more.
   * Only within {@link exclusively}.
   */
  switchBase(base: ChainBase): void {
    this.#position.switchBase(base)
    this.#states.forget()
    this.view.readFrom(this.#sources(this.#position))
  }

  /** Takes up the clock and the settings where they were left. */
  async restore(): Promise<void> {
    this.#position.restoreProgress()
    await this.#resetMempool()
  }

  /**
   * Changes the clock or what coming blocks get from the operator, when its turn has come; nothing if that cannot be
   * kept.
   */
  adjust<T>(change: () => T): Promise<T> {
    return this.exclusively(async () => {
      const result = this.#position.adjust(change)
      await this.#resetMempool()
      return result
    })
  }

  /** Keeps the clock and the settings, and takes note that the pending block may be another one now. */
  async commitProgress(): Promise<void> {
    this.#position.saveProgress()
    await this.#resetMempool()
  }

  /** @param fixedTime - seconds, where the time of the block was asked for with it */
  async #adopt(produced: ProducedBlock, state: WorkingState, fixedTime?: bigint): Promise<MinedBlock> {
    const parentTime = this.head.block.header.timestamp
    const block = await this.#become(produced, state, () => {
      if (fixedTime !== undefined) this.clock.setNext(fixedTime, parentTime)
      this.clock.mined(produced.block.header.timestamp)
      delete this.settings.nextBaseFee
      delete this.settings.nextPrevRandao
      this.#advanceRandomness(produced.block.header)
    })
    return { block, executed: produced.block }
  }

  /** What a control sets for one block goes on from there, as in hardhat. */
  #advanceRandomness({ mixHash, parentBeaconBlockRoot }: HeaderFields): void {
    const { randomness } = this.settings
    if (randomness === undefined || parentBeaconBlockRoot === undefined) return
    this.settings.randomness = nextRandomness({ prevRandao: mixHash, parentBeaconBlockRoot })
  }

  /** Makes an executed block on the head the head. */
  async #become(produced: ProducedBlock, state: WorkingState, change: () => void): Promise<StoredBlock> {
    const block = await this.#position.advance(produced, change)
    this.#states.keep(state)
    await this.#resetMempool()
    this.events.emit({ type: 'head', block, executed: produced.block })
    return block
  }

  #storeSideBlock({ block, commitment }: ProducedBlock): Promise<StoredBlock> {
    return this.#position.store(block, commitment)
  }

  #resetMempool(): Promise<void> {
    const { maximumGas, gasLimit } = this.settings
    return this.mempool.reset(this.#states.view(), this.head.block, maximumGas ?? gasLimit)
  }

  #sources(position: ChainPosition): ChainSources {
    return { ...position.parts, head: () => position.head, pending: () => this.#pending.current() }
  }
}
