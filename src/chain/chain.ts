import { bytesEqual } from '../encoding/hex.js'
import { type Awaitable, Mutex, TimeSlice, nextTurn } from '../encoding/timeSlice.js'
import type { SealedBlock, StoredBlock } from './block/record.js'
import type { ConsoleListener } from './calls/callObject.js'
import { ChainStoppedError } from './errors.js'
import { ChainPosition, type Head, HeadStates, type MoveOptions, type PlannedMove } from './head/position.js'
import type { BlockParts } from './import/blockParts.js'
import { executeOnParent } from './import/executeBlock.js'
import type { Mempool } from './mempool/mempool.js'
import { BlockMaker, type BranchBlockOptions, PendingBlocks } from './mining/blockMaker.js'
import { type BlockSettings, type ProducedBlock, reservedBlockSettings } from './mining/producer.js'
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

/** Options for mining one block. */
export interface MineOptions {
  /** Seconds; the clock's time if absent. */
  timestamp?: bigint | undefined
  maximumTransactions?: number
  /** Whether the block looks like one that hardhat reserves instead of mining it. */
  reserved?: boolean
}

/** A block that has just become the head. */
export interface MinedBlock {
  block: StoredBlock
  /** The same block straight from execution, with the return data of its transactions. */
  executed: SealedBlock
}

/**
 * A chain: its position, and every operation that moves it. Each change runs under a mutex, is stored by one atomic
 * write, and is announced only afterwards.
 */
export class Chain {
  readonly events: ChainEvents
  readonly view: ChainReader
  readonly clock: Clock
  readonly mempool: Mempool
  readonly settings: BlockSettings
  /** The stores that blocks and states are read from. */
  readonly stores: ChainStores
  /** Receives what contracts log to the console while blocks are mined. */
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

  /** The stores, first block and head that the chain currently builds on. */
  get base(): ChainBase {
    return this.#position.parts
  }

  /** The genesis, or the block that a fork continues from. */
  get first(): StoredBlock {
    return this.#position.parts.first
  }

  get head(): Head {
    return this.#position.head
  }

  /** Whether the node is about to stop. Work that mines many blocks ends after the current one. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** From now on, ends requests for many blocks early. Other changes still go through. */
  beginStop(): void {
    this.#isStopping = true
  }

  /** Refuses further changes and waits for the running one. Call this before closing the database. */
  close(): Promise<void> {
    this.beginStop()
    return this.#mutex.close(() => new ChainStoppedError())
  }

  /**
   * Runs work under the chain's mutex.
   *
   * @throws ChainStoppedError if the chain is already closed
   */
  exclusively<T>(work: () => Awaitable<T>): Promise<T> {
    return this.#mutex.run(work)
  }

  /** Runs read-only work under the chain's mutex, even after {@link close}. */
  unchanged<T>(work: () => Awaitable<T>): Promise<T> {
    return this.#mutex.runAfterClose(work)
  }

  /** The base fee of the next block in wei per gas; zero before London. */
  nextBaseFee(): bigint {
    return this.#maker.nextBaseFee()
  }

  /** The fork rules of the next block, as far as its time is known. */
  nextRules(): ForkRules {
    return this.#maker.nextRules()
  }

  /**
   * Mines one block now from the mempool. Only within {@link exclusively}.
   *
   * @throws TimestampError if the block cannot have the given timestamp
   */
  async mine({ timestamp, maximumTransactions, reserved = false }: MineOptions = {}): Promise<MinedBlock> {
    const { header } = this.head.block
    if (timestamp !== undefined) this.clock.check(timestamp, header.timestamp)
    const settings = reserved ? reservedBlockSettings(this.settings, header) : this.settings
    const state = this.#states.take()
    const { onConsole } = this
    const produced = await this.#maker.next({ state, timestamp, maximumTransactions, onConsole, settings })
    return this.#commitMined(produced, state, { fixedTime: timestamp, reserved })
  }

  /**
   * Mines blocks until no executable transaction is left or the node is about to stop. Yields to reads between blocks.
   * Only within {@link exclusively}.
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
      const mined = await this.#commitMined(produced, state)
      onMined?.(mined)
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
  }

  /**
   * Executes a block from elsewhere on its parent's state, validates it and stores it. On top of the head it becomes
   * the next head; on any other parent it is stored as a side block, which {@link moveHead} can adopt. Only within
   * {@link exclusively}.
   *
   * @throws ImportError if the block is invalid; nothing has changed then
   */
  async importBlock(block: BlockParts): Promise<StoredBlock> {
    const sources = { position: this.#position, states: this.#states, view: this.view }
    const { parent, produced, state } = await executeOnParent(sources, block)
    await nextTurn()
    if (parent.ordinal !== this.head.block.ordinal) return this.#storeSideBlock(produced)
    return this.#commitHead(produced, state, () => {
      this.settings.gasLimit = block.header.gasLimit
    })
  }

  /**
   * Builds a block on any stored parent and stores it as a side block; {@link moveHead} can make it the head. Only
   * within {@link exclusively}.
   */
  async mineSideBlock(parent: Head, options: BranchBlockOptions): Promise<StoredBlock> {
    return this.#storeSideBlock(await this.#maker.sideBlock(parent, options))
  }

  /** Stores a block that came with neither its own state nor its parent's. Only within {@link exclusively}. */
  storeForeign(block: SealedBlock): Promise<StoredBlock> {
    return this.#position.store(block)
  }

  /** Edits the state that `latest` reads, without mining a block. Only within {@link exclusively}. */
  async editState(edit: (state: WorkingState) => Promise<void>): Promise<void> {
    const { commitment, changed } = await this.#draft(edit)
    this.#position.alter(commitment)
    this.#position.saveProgress()
    await this.#resetMempool(changed)
  }

  /**
   * Returns the state that `latest` reads with an edit applied. Most of a large edit is already stored; the returned
   * rest is not. Only within {@link exclusively}.
   */
  async draftState(edit: (state: WorkingState) => Promise<void>): Promise<StateCommitment> {
    return (await this.#draft(edit)).commitment
  }

  async #draft(
    edit: (state: WorkingState) => Promise<void>,
  ): Promise<{ commitment: StateCommitment; changed: readonly Uint8Array[] }> {
    const state = this.#states.fresh()
    await edit(state)
    const commitment = await commitInBatches(this.stores, await state.computeRootInSlices(new TimeSlice()))
    return { commitment, changed: state.changedAccounts() }
  }

  /** See {@link ChainPosition.planMove}. Only within {@link exclusively}. */
  planMove(to: StoredBlock): Promise<PlannedMove> {
    return this.#position.planMove(to)
  }

  /**
   * Makes another stored block the head, with its own working root. Emits no event, because a revert and a
   * reorganisation announce the same move differently. Only within {@link exclusively}.
   */
  moveHead(head: Head, options?: MoveOptions): void {
    this.#position.move(head, options)
  }

  /**
   * Switches to another base and its stored head. The data of the old base stays on disk but is no longer visible. Only
   * within {@link exclusively}.
   */
  switchBase(base: ChainBase): void {
    this.#position.switchBase(base)
    this.#states.forget()
    this.view.readFrom(this.#sources(this.#position))
  }

  /** Restores the stored clock and settings. */
  async restore(): Promise<void> {
    this.#position.restoreProgress()
    await this.#resetMempool()
  }

  /**
   * Waits for its turn, then changes the clock or the operator's block settings and stores them. If they cannot be
   * stored, nothing changes.
   */
  adjust<T>(change: () => T): Promise<T> {
    return this.exclusively(async () => {
      const result = this.#position.adjust(change)
      await this.#resetMempool([])
      return result
    })
  }

  /** Stores the clock and the settings, and invalidates the pending block. */
  async commitProgress(): Promise<void> {
    this.#position.saveProgress()
    await this.#resetMempool()
  }

  /**
   * @param fixedTime - the timestamp that the caller asked for, in seconds
   * @param reserved - whether the block took nothing from the generators of randomness
   */
  async #commitMined(
    produced: ProducedBlock,
    state: WorkingState,
    { fixedTime, reserved = false }: { fixedTime?: bigint | undefined; reserved?: boolean } = {},
  ): Promise<MinedBlock> {
    const parentTime = this.head.block.header.timestamp
    const block = await this.#commitHead(produced, state, () => {
      if (fixedTime !== undefined) this.clock.setNext(fixedTime, parentTime)
      this.clock.mined(produced.block.header.timestamp)
      delete this.settings.nextBaseFee
      delete this.settings.nextPrevRandao
      if (!reserved) this.#advanceRandomness(produced.block.header)
    })
    return { block, executed: produced.block }
  }

  /**
   * Advances the randomness from the values of a mined block, so that a value set by a control carries on, as in
   * Hardhat.
   */
  #advanceRandomness({ mixHash, parentBeaconBlockRoot }: HeaderFields): void {
    const { randomness } = this.settings
    if (randomness === undefined || parentBeaconBlockRoot === undefined) return
    this.settings.randomness = nextRandomness({ prevRandao: mixHash, parentBeaconBlockRoot })
  }

  /** Makes an executed child of the head the new head. */
  async #commitHead(produced: ProducedBlock, state: WorkingState, change: () => void): Promise<StoredBlock> {
    // A block imported on an altered head was executed on the unaltered state.
    const changed = bytesEqual(state.base.root, this.head.workingRoot) ? state.changedAccounts() : undefined
    const block = await this.#position.advance(produced, change)
    this.#states.keep(state)
    await this.#resetMempool(changed)
    this.events.emit({ type: 'head', block, executed: produced.block })
    return block
  }

  #storeSideBlock({ block, commitment }: ProducedBlock): Promise<StoredBlock> {
    return this.#position.store(block, commitment)
  }

  /** @param changed - the 20-byte addresses of all accounts that have changed; by default, any may have */
  #resetMempool(changed?: readonly Uint8Array[]): Promise<void> {
    const { maximumGas, gasLimit: usualGas } = this.settings
    const gasLimit = maximumGas ?? usualGas
    return this.mempool.reset(this.#states.view(), this.head.block, { gasLimit, changed })
  }

  #sources(position: ChainPosition): ChainSources {
    return { ...position.parts, head: () => position.head, pending: () => this.#pending.current() }
  }
}
