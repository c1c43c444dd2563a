import type { Database } from '../storage/database.js'
import type { Keyspace } from '../storage/keyspace.js'
import { WriteBatch } from '../storage/writeBatch.js'
import { nextBaseFee } from './block/fees.js'
import type { StoredBlock } from './block/record.js'
import type { BlockStore } from './block/store.js'
import { ChainEvents } from './events.js'
import type { ForkSchedule } from './execution/rules.js'
import { encodeHead, isAltered, planMove, stageMove, type Head, type HeadMove } from './head.js'
import type { Mempool } from './mempool/mempool.js'
import type { Clock } from './mining/clock.js'
import { draftHeader, type BlockSettings } from './mining/draft.js'
import type { PendingBlock } from './mining/pending.js'
import { produceBlock, type ProducedBlock } from './mining/producer.js'
import { ChainReader } from './reader.js'
import { StatePreview } from './state/preview.js'
import type { StateStore } from './state/stateStore.js'
import { WorkingState } from './state/workingState.js'
import { Turnstile } from './turnstile.js'

/** What a chain is made of. */
export interface ChainParts {
  chainId: bigint
  database: Database
  keys: Keyspace
  blocks: BlockStore
  states: StateStore
  schedule: ForkSchedule
  clock: Clock
  mempool: Mempool
  /** What the operator decides about coming blocks; changes in place. */
  settings: BlockSettings
  head: Head
  distances: Readonly<Record<'safe' | 'finalized', bigint>>
  firstNumber: bigint
}

/** How one block is mined. */
export interface MineOptions {
  /** Seconds; the clock's time if absent. */
  timestamp?: bigint
  maximumTransactions?: number
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
  readonly #parts: ChainParts
  readonly #turnstile = new Turnstile()
  #head: Head
  #pending: { key: string; block: Promise<PendingBlock> } | undefined
  #version = 0

  constructor(parts: ChainParts) {
    this.#parts = parts
    this.#head = parts.head
    this.clock = parts.clock
    this.mempool = parts.mempool
    this.settings = parts.settings
    this.view = new ChainReader({
      ...parts,
      head: () => this.#head,
      pending: () => this.#pendingBlock(),
    })
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
  async mine({ timestamp, maximumTransactions = Infinity }: MineOptions = {}): Promise<StoredBlock> {
    if (timestamp !== undefined) this.clock.setNext(timestamp, this.#head.block.header.timestamp)
    return this.#adopt(await this.#produce(maximumTransactions))
  }

  /**
   * Mines one block for each transaction that can be executed now, one after another. Only within
   * {@link exclusively}.
   */
  async mineEachReady(): Promise<void> {
    while (this.mempool.hasCandidates(this.nextBaseFee())) {
      const produced = await this.#produce(1)
      if (produced.block.transactions.length === 0) return
      await this.#adopt(produced)
    }
  }

  /** The base fee of the next block in wei per gas; zero before London. */
  nextBaseFee(): bigint {
    const { header } = this.#head.block
    const rules = this.#parts.schedule.rulesAt({
      number: header.number + 1n,
      timestamp: header.timestamp + 1n,
    })
    return this.settings.nextBaseFee ?? nextBaseFee(header, rules) ?? 0n
  }

  async #adopt(produced: ProducedBlock): Promise<StoredBlock> {
    const block = this.#commit(produced)
    this.clock.mined(block.header.timestamp)
    delete this.settings.nextBaseFee
    delete this.settings.nextPrevRandao
    await this.mempool.reset(this.#headState(), block)
    this.events.emit({ type: 'head', block })
    return block
  }

  /** Changes the state that `latest` reads, without a block. Only within {@link exclusively}. */
  async editState(edit: (state: WorkingState) => Promise<void>): Promise<void> {
    const { states, database, keys } = this.#parts
    const state = new WorkingState(states.viewAt(this.#head.workingRoot))
    await edit(state)
    const commitment = state.computeRoot()
    const head = { ...this.#head, workingRoot: commitment.root }
    const batch = new WriteBatch()
    states.stage(batch, commitment)
    batch.put(keys.head(), encodeHead(head))
    database.write(batch)
    this.#head = head
    await this.touched()
  }

  /**
   * Makes another stored block the head, with a working root of its own. Nothing is announced: a revert and a
   * reorganisation say different things about the same move. Only within {@link exclusively}.
   */
  moveHead(head: Head, also?: (batch: WriteBatch) => void): HeadMove {
    const { blocks, database, keys } = this.#parts
    const move = planMove(blocks, this.#head.block, head.block)
    const batch = new WriteBatch()
    stageMove(batch, keys, move, head)
    also?.(batch)
    database.write(batch)
    this.#head = head
    this.#version++
    return move
  }

  /** Takes note that something besides the head changed that the pending block depends on. */
  async touched(): Promise<void> {
    this.#version++
    await this.mempool.reset(this.#headState(), this.#head.block)
  }

  #headState() {
    return this.#parts.states.viewAt(this.#head.workingRoot)
  }

  #produce(maximumTransactions: number): Promise<ProducedBlock> {
    const { states, schedule } = this.#parts
    const { block: parent, workingRoot } = this.#head
    const timestamp = this.clock.peek(parent.header.timestamp)
    const rules = schedule.rulesAt({ number: parent.header.number + 1n, timestamp })
    const header = draftHeader(parent, rules, timestamp, this.settings)
    return produceBlock({
      header,
      rules,
      parentState: states.viewAt(workingRoot),
      parentTotalDifficulty: parent.totalDifficulty,
      altered: isAltered(this.#head),
      candidates: this.mempool.candidates(header.baseFeePerGas ?? 0n),
      maximumTransactions,
      ...(rules.isActivatedEIP(4895) && { withdrawals: [] }),
      blockHash: (number) => this.view.blockByNumber(number)?.hash,
    })
  }

  #commit({ block, commitment }: ProducedBlock): StoredBlock {
    const { blocks, states, database, keys } = this.#parts
    const batch = new WriteBatch()
    states.stage(batch, commitment)
    const record = blocks.stage(batch, block)
    const head = { block: record.block, workingRoot: block.header.stateRoot }
    stageMove(batch, keys, { removed: [], added: [record.block] }, head)
    database.write(batch)
    this.#head = head
    this.#version++
    return blocks.added(record)
  }

  #pendingBlock(): Promise<PendingBlock> {
    const key = `${this.#version}/${this.mempool.version}/${JSON.stringify([this.clock.state.offset.toString(), this.clock.state.nextTimestamp?.toString()])}`
    if (this.#pending?.key !== key) {
      const block = this.exclusively(async () => {
        const { block: sealed, commitment } = await this.#produce(Infinity)
        return { block: sealed, state: new StatePreview(this.#parts.states, commitment) }
      })
      this.#pending = { key, block }
    }
    return this.#pending.block
  }
}
