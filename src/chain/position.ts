import { WriteBatch } from '../storage/writeBatch.js'
import type { ChainBase, ChainParts } from './base.js'
import type { SealedBlock, StoredBlock } from './block/record.js'
import { encodeHead, loadHead, planMove, stageMove, type Head, type HeadMove } from './head.js'
import type { ProducedBlock } from './mining/producer.js'
import { applyProgress, currentProgress, ProgressStore } from './progress.js'
import type { StateCommitment } from './state/stateStore.js'
import { runAtOnce, runInSlices, TimeSlice } from './timeSlice.js'

/**
 * Where a chain is: the base it stands on, its head, and how far the operator has taken its clock and settings. Each
 * change is one atomic write, and holds in memory only once it is written. Nothing is announced here.
 */
export class ChainPosition {
  #parts: ChainParts
  #head: Head
  #progress: ProgressStore
  #version = 0

  constructor(parts: ChainParts) {
    this.#parts = parts
    this.#head = parts.head
    this.#progress = new ProgressStore(parts.database, parts.keys)
  }

  get parts(): ChainParts {
    return this.#parts
  }

  get head(): Head {
    return this.#head
  }

  /** Rises with every change that the next block may depend on. */
  get version(): number {
    return this.#version
  }

  /**
   * Stores a block that was executed on the head and makes it the head. What is put together for the write may take
   * many turns; nothing counts before it.
   */
  async advance({ block, commitment }: ProducedBlock): Promise<StoredBlock> {
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

  /** Stores a block beside the canonical chain; without a commitment it comes without its state. */
  store(block: SealedBlock, commitment?: StateCommitment): StoredBlock {
    const { blocks, states, database } = this.#parts
    const batch = new WriteBatch()
    if (commitment !== undefined) states.stage(batch, commitment)
    const record = runAtOnce(blocks.stage(batch, block))
    database.write(batch)
    return blocks.added(record)
  }

  /**
   * Makes a stored block the head.
   *
   * @param also - puts what has to change with the move into its batch
   */
  move(head: Head, also?: (batch: WriteBatch, move: HeadMove) => void): HeadMove {
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

  /** Gives the head another working root. */
  alter(commitment: StateCommitment): void {
    const { states, keys } = this.#parts
    const head = { ...this.#head, workingRoot: commitment.root }
    const batch = new WriteBatch()
    states.stage(batch, commitment)
    batch.put(keys.head(), encodeHead(head))
    this.#write(batch)
    this.#head = head
    this.#version++
  }

  /** Goes over to another base and its stored head. What the old one had stays where it is. */
  standOn({ keys, blocks, states, head, first, earlierHash }: ChainBase): void {
    this.#parts = { ...this.#parts, keys, blocks, states, first, earlierHash }
    this.#progress = new ProgressStore(this.#parts.database, keys)
    this.#head = loadHead(this.#parts.database, keys, blocks) ?? head
    this.#version++
  }

  /** Takes the clock and the settings to where they were left. */
  restoreProgress(): void {
    const progress = this.#progress.load()
    if (progress !== undefined) applyProgress(progress, this.#parts.clock, this.#parts.settings)
  }

  /** Keeps the clock and the settings as they are now. */
  saveProgress(): void {
    this.#version++
    this.#write(new WriteBatch())
  }

  #write(batch: WriteBatch): void {
    const { clock, settings } = this.#parts
    this.#progress.write(batch, currentProgress(clock, settings))
  }
}
