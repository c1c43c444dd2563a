import { setImmediate as nextTurn } from 'node:timers/promises'
import { bytesEqual } from '../encoding/hex.js'
import { WriteBatch } from '../storage/writeBatch.js'
import { storesOf, type ChainBase, type ChainParts, type ChainStores } from './base.js'
import { nextBaseFee } from './block/fees.js'
import type { SealedBlock, StoredBlock } from './block/record.js'
import { ChainEvents } from './events.js'
import { ancestorHash, createCallSite } from './execution/callSite.js'
import type { ConsoleListener } from './execution/pooledEvm.js'
import { encodeHead, isAltered, loadHead, planMove, stageMove, type Head, type HeadMove } from './head.js'
import type { BlockParts } from './import/blockParts.js'
import { ImportError } from './import/errors.js'
import { executeBlock } from './import/executeBlock.js'
import type { Mempool } from './mempool/mempool.js'
import { pooledOf, stagePooled, type NamedPooled } from './mempool/pooledStore.js'
import { readmit } from './mempool/readmit.js'
import type { Clock } from './mining/clock.js'
import { draftHeader, type BlockSettings } from './mining/draft.js'
import type { PendingBlock } from './mining/pending.js'
import { produceBlock, type ProducedBlock, type ProductionInput } from './mining/producer.js'
import { applyProgress, currentProgress, ProgressStore } from './progress.js'
import { ChainReader, type ChainSources } from './reader.js'
import { StatePreview } from './state/preview.js'
import { WorkingState } from './state/workingState.js'
import { runAtOnce, runInSlices, TimeSlice } from './timeSlice.js'
import type { ForkRules } from './types.js'
import { Turnstile } from './turnstile.js'

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

/** What a block beside the canonical chain is made from. */
export interface BranchBlockOptions {
  candidates: ProductionInput['candidates']
  /** 32 bytes; sets the block apart from the one whose place it takes. */
  prevRandao: Uint8Array
}

/** How one block is produced. */
interface Production {
  state: WorkingState
  settings: BlockSettings
  /** What may go into it, at its base fee in wei per gas. */
  candidates: (baseFee: bigint) => ProductionInput['candidates']
  maximumTransactions?: number | undefined
  onConsole?: ConsoleListener | undefined
}

/**
 * A chain: its head, and everything that moves it. Every change passes a turnstile, is stored by one atomic write, and
 * is announced only afterwards.
 */
export class Chain {
  readonly events = new ChainEvents()
  readonly view: ChainReader
  readonly clock: Clock
  readonly mempool: Mempool
  readonly settings: BlockSettings
  /** What blocks and states are read from. */
  readonly stores: ChainStores
  /** Sees what contracts give to the console while blocks are mined. */
  onConsole: ConsoleListener | undefined
  readonly #turnstile = new Turnstile()
  #parts: ChainParts
  #progress: ProgressStore
  #head: Head
  #pending: { key: string; block: Promise<PendingBlock> } | undefined
  #state: WorkingState | undefined
  #version = 0

  constructor(parts: ChainParts) {
    this.#parts = parts
    this.#head = parts.head
    this.clock = parts.clock
    this.mempool = parts.mempool
    this.settings = parts.settings
    this.#progress = new ProgressStore(parts.database, parts.keys)
    this.stores = storesOf(() => this.#parts)
    this.view = new ChainReader(this.#sources())
  }

  /** What the chain stands on. */
  get base(): ChainBase {
    return this.#parts
  }

  /** The genesis, or the block that a fork goes on from. */
  get first(): StoredBlock {
    return this.#parts.first
  }

  get head(): Head {
    return this.#head
  }

  /** Runs work that no other change of this chain comes between. */
  exclusively<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#turnstile.pass(work)
  }

  /**
   * Mines one block now from what the mempool offers. Only within {@link exclusively}.
   *
   * @throws TimestampError if the block cannot have the time that was asked for.
   */
  async mine({ timestamp, maximumTransactions }: MineOptions = {}): Promise<MinedBlock> {
    if (timestamp !== undefined) this.clock.setNext(timestamp, this.#head.block.header.timestamp)
    const state = this.#takeState()
    return this.#adopt(
      await this.#produceNext(state, { maximumTransactions, onConsole: this.onConsole }),
      state,
    )
  }

  /**
   * Mines blocks, one after another, until no transaction is left that can be executed now. Only within
   * {@link exclusively}.
   */
  async mineEachReady({ maximumTransactions }: Pick<MineOptions, 'maximumTransactions'>): Promise<void> {
    while (this.mempool.hasCandidates(this.nextBaseFee())) {
      const state = this.#takeState()
      const produced = await this.#produceNext(state, { maximumTransactions, onConsole: this.onConsole })
      if (produced.block.transactions.length === 0) return
      await this.#adopt(produced, state)
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
    const { blocks, states, schedule } = this.#parts
    const { header } = block
    const parent = blocks.byHash(header.parentHash)
    if (parent === undefined) throw new ImportError(header.number, 'parentHash', 'the parent is not known')
    const onHead = parent.ordinal === this.#head.block.ordinal && !isAltered(this.#head)
    const base = states.viewAt(parent.header.stateRoot)
    const state = onHead ? this.#takeState() : new WorkingState({ base, store: states })
    const { blockHash } = createCallSite(this.view, { header, rules: schedule.rulesAt(header), state: base })
    const produced = await executeBlock({ block, parent, schedule, blocks: this.view, state, blockHash })
    await nextTurn()
    if (parent.ordinal !== this.#head.block.ordinal) return this.#storeBeside(produced)
    this.settings.gasLimit = header.gasLimit
    return this.#become(produced, state)
  }

  /**
   * Makes a block on any stored parent and keeps it beside the canonical chain; {@link moveHead} can make it the head.
   * Only within {@link exclusively}.
   */
  async mineBeside(parent: Head, { candidates, prevRandao }: BranchBlockOptions): Promise<StoredBlock> {
    const { states } = this.#parts
    const state = new WorkingState({ base: states.viewAt(parent.workingRoot), store: states })
    const settings = { ...this.settings, nextPrevRandao: prevRandao }
    return this.#storeBeside(await this.#produce(parent, { state, settings, candidates: () => candidates }))
  }

  /** Keeps a block that came with neither its state nor its parent's. Only within {@link exclusively}. */
  storeForeign(block: SealedBlock): StoredBlock {
    const { blocks, database } = this.#parts
    const batch = new WriteBatch()
    const record = runAtOnce(blocks.stage(batch, block))
    database.write(batch)
    return blocks.added(record)
  }

  /** The base fee of the next block in wei per gas; zero before London. */
  nextBaseFee(): bigint {
    return this.settings.nextBaseFee ?? nextBaseFee(this.#head.block.header, this.nextRules()) ?? 0n
  }

  /** The rules of the next block, as far as its time is known. */
  nextRules(): ForkRules {
    const { number, timestamp } = this.#head.block.header
    return this.#parts.schedule.rulesAt({ number: number + 1n, timestamp: this.clock.peek(timestamp) })
  }

  async #adopt(produced: ProducedBlock, state: WorkingState): Promise<MinedBlock> {
    this.clock.mined(produced.block.header.timestamp)
    delete this.settings.nextBaseFee
    delete this.settings.nextPrevRandao
    return { block: await this.#become(produced, state), executed: produced.block }
  }

  /** Makes an executed block on the head the head. */
  async #become(produced: ProducedBlock, state: WorkingState): Promise<StoredBlock> {
    const block = await this.#commit(produced)
    state.rebase(this.#headState())
    this.#state = state
    await this.#resetMempool()
    this.events.emit({ type: 'head', block, executed: produced.block })
    return block
  }

  /** Changes the state that `latest` reads, without a block. Only within {@link exclusively}. */
  async editState(edit: (state: WorkingState) => Promise<void>): Promise<void> {
    const { states, keys } = this.#parts
    const state = this.#newState()
    await edit(state)
    const commitment = state.computeRoot()
    const head = { ...this.#head, workingRoot: commitment.root }
    const batch = new WriteBatch()
    states.stage(batch, commitment)
    batch.put(keys.head(), encodeHead(head))
    this.#write(batch)
    this.#head = head
    await this.touched()
  }

  /**
   * Makes another stored block the head, with a working root of its own. Nothing is announced: a revert and a
   * reorganisation say different things about the same move. Only within {@link exclusively}.
   */
  moveHead(head: Head, also?: (batch: WriteBatch, move: HeadMove) => void): HeadMove {
    const { blocks, keys } = this.#parts
    const move = planMove(blocks, this.#head.block, head.block)
    const batch = new WriteBatch()
    stageMove(batch, keys, move, head)
    also?.(batch, move)
    this.#write(batch)
    this.#head = head
    this.#version++
    return move
  }

  /**
   * Goes over to another base and its stored head. What the old one had stays where it is, and is not seen any more.
   * Only within {@link exclusively}.
   */
  standOn(base: ChainBase): void {
    const { keys, blocks, states, first, earlierHash } = base
    this.#parts = { ...this.#parts, keys, blocks, states, first, earlierHash }
    this.#progress = new ProgressStore(this.#parts.database, base.keys)
    this.#head = loadHead(this.#parts.database, keys, blocks) ?? base.head
    this.#state = undefined
    this.#version++
    this.view.readFrom(this.#sources())
  }

  /**
   * Makes a block of another branch the head, and announces it as geth does (core/blockchain.go, reorg): what left,
   * then what came below the head, then the head. The transactions that left wait again; the write that moves the head
   * keeps them, so that they wait after a crash too. Only within {@link exclusively}.
   */
  async reorganise(block: StoredBlock): Promise<void> {
    const { blocks, keys } = this.#parts
    let left: NamedPooled[] = []
    const head = { block, workingRoot: block.header.stateRoot }
    const { removed, added } = this.moveHead(head, (batch, move) => {
      left = move.removed.flatMap((orphan) => pooledOf(blocks, orphan))
      for (const pooled of left) stagePooled(batch, keys, pooled)
    })
    this.settings.gasLimit = block.header.gasLimit
    await this.touched()
    for (const pooled of left) await readmit(this.mempool, this.nextRules(), pooled)
    if (removed.length > 0) this.events.emit({ type: 'removed', blocks: removed })
    if (added.length > 1) this.events.emit({ type: 'added', blocks: added.slice(0, -1) })
    this.events.emit({ type: 'head', block })
  }

  /** Takes up the clock and the settings where they were left. */
  async restore(): Promise<void> {
    const progress = this.#progress.load()
    if (progress !== undefined) applyProgress(progress, this.clock, this.settings)
    await this.#resetMempool()
  }

  /** Changes the clock or what coming blocks get from the operator, when its turn has come. */
  adjust<T>(change: () => T): Promise<T> {
    return this.exclusively(async () => {
      const result = change()
      await this.touched()
      return result
    })
  }

  /** Keeps the clock and the settings, and takes note that the pending block may be another one now. */
  async touched(): Promise<void> {
    this.#version++
    this.#write(new WriteBatch())
    await this.#resetMempool()
  }

  #sources(): ChainSources {
    return { ...this.#parts, head: () => this.#head, pending: () => this.#pendingBlock() }
  }

  #resetMempool(): Promise<void> {
    const { maximumGas, gasLimit } = this.settings
    return this.mempool.reset(this.#headState(), this.#head.block, maximumGas ?? gasLimit)
  }

  #write(batch: WriteBatch): void {
    this.#progress.write(batch, currentProgress(this.clock, this.settings))
  }

  #newState(): WorkingState {
    return new WorkingState({ base: this.#headState(), store: this.#parts.states })
  }

  /** The state that the last block left, with what it has read; gone once it is taken, until a block is adopted. */
  #takeState(): WorkingState {
    const state = this.#state
    this.#state = undefined
    const fits = state !== undefined && bytesEqual(state.base.root, this.#head.workingRoot)
    return fits ? state : this.#newState()
  }

  #headState() {
    return this.#parts.states.viewAt(this.#head.workingRoot)
  }

  #produceNext(
    state: WorkingState,
    limits: Pick<Production, 'maximumTransactions' | 'onConsole'> = {},
  ): Promise<ProducedBlock> {
    const candidates = (baseFee: bigint) => this.mempool.candidates(baseFee)
    return this.#produce(this.#head, { state, settings: this.settings, candidates, ...limits })
  }

  #produce(
    head: Head,
    { state, settings, candidates, maximumTransactions, onConsole }: Production,
  ): Promise<ProducedBlock> {
    const { block: parent } = head
    const timestamp = this.clock.peek(parent.header.timestamp)
    const rules = this.#parts.schedule.rulesAt({ number: parent.header.number + 1n, timestamp })
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
      depositContract: this.#parts.schedule.depositContract,
      ...(rules.isActivatedEIP(4895) && { withdrawals: [] }),
      blockHash: (number) => ancestorHash(this.view, header, number),
    })
  }

  /** Nothing counts before the write, which is one; what is put together for it may take many turns. */
  async #commit({ block, commitment }: ProducedBlock): Promise<StoredBlock> {
    const { blocks, states, keys } = this.#parts
    const batch = new WriteBatch()
    states.stage(batch, commitment)
    const record = await runInSlices(blocks.stage(batch, block), new TimeSlice())
    const head = { block: record.block, workingRoot: block.header.stateRoot }
    stageMove(batch, keys, { removed: [], added: [record.block] }, head)
    this.#write(batch)
    this.#head = head
    this.#version++
    return blocks.added(record)
  }

  #storeBeside({ block, commitment }: ProducedBlock): StoredBlock {
    const { blocks, states, database } = this.#parts
    const batch = new WriteBatch()
    states.stage(batch, commitment)
    const record = runAtOnce(blocks.stage(batch, block))
    database.write(batch)
    return blocks.added(record)
  }

  #pendingBlock(): Promise<PendingBlock> {
    const key = `${this.#version}/${this.mempool.version}`
    if (this.#pending?.key !== key) {
      const block = this.exclusively(async () => {
        const { block: sealed, commitment } = await this.#produceNext(this.#newState())
        return { block: sealed, state: new StatePreview(this.#parts.states, commitment) }
      })
      this.#pending = { key, block }
      block.catch(() => {
        this.#pending = undefined
      })
    }
    return this.#pending.block
  }
}
