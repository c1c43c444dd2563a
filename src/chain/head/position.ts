import { bytesEqual } from '../../encoding/hex.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { WriteBatch } from '../../storage/writeBatch.js'
import type { ChainBase, ChainParts } from '../base.js'
import type { SealedBlock, StoredBlock } from '../block/record.js'
import type { ProducedBlock } from '../mining/producer.js'
import type { StateCommitment } from '../state/stateStore.js'
import type { TrieStateView } from '../state/stateView.js'
import { storeAhead } from '../state/storeAhead.js'
import { WorkingState } from '../state/workingState.js'
import { type Head, type HeadMove, encodeHead, loadHead, planMove, stageMove } from './head.js'
import { ProgressStore, applyProgress, captureProgress } from './progress.js'

/** What changes together with a head, in the same write. */
export interface MoveOptions {
  /** Puts what has to change with the move into its batch. */
  stage?: ((batch: WriteBatch, move: HeadMove) => void) | undefined
  /** Changes the clock and the settings of coming blocks. */
  change?: (() => void) | undefined
}

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
    parts.blocks.endAt(parts.head.block)
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
   * Stores a block that was executed on the head and makes it the head. What is put together for the write, and most of a
   * large state that is stored before it, may take many turns; nothing counts before it.
   *
   * @param change - what the block does to the clock and to the settings of coming blocks
   */
  async advance({ block, commitment }: ProducedBlock, change: () => void): Promise<StoredBlock> {
    const { blocks, states, keys } = this.#parts
    const batch = new WriteBatch()
    states.stage(batch, await storeAhead(this.#parts, commitment))
    const staged = await runInSlices(blocks.stage(batch, block), new TimeSlice())
    const { block: stored } = staged.record
    const head = { block: stored, workingRoot: block.header.stateRoot }
    stageMove(batch, keys, { added: [stored] }, head)
    this.#write(batch, change)
    const added = blocks.added(staged)
    this.#setHead(head)
    return added
  }

  /** Stores a block beside the canonical chain; without a commitment it comes without its state. */
  async store(block: SealedBlock, commitment?: StateCommitment): Promise<StoredBlock> {
    const { blocks, states, database } = this.#parts
    const batch = new WriteBatch()
    if (commitment !== undefined) states.stage(batch, await storeAhead(this.#parts, commitment))
    const staged = await runInSlices(blocks.stage(batch, block), new TimeSlice())
    database.write(batch)
    return blocks.added(staged)
  }

  /** Makes a stored block the head. */
  move(head: Head, { stage, change = noChange }: MoveOptions = {}): HeadMove {
    const { blocks, keys, first } = this.#parts
    const move = planMove(blocks, head.block)
    const batch = new WriteBatch()
    const gone = move.base === undefined ? numbersBelow(first, move.added[0]) : []
    stageMove(batch, keys, { added: move.added, gone }, head)
    stage?.(batch, move)
    this.#write(batch, change)
    this.#setHead(head)
    return move
  }

  /** Gives the head another working root. */
  alter(commitment: StateCommitment): void {
    const { states, keys } = this.#parts
    const head = { ...this.#head, workingRoot: commitment.root }
    const batch = new WriteBatch()
    states.stage(batch, commitment)
    batch.put(keys.head(), encodeHead(head))
    this.#write(batch, noChange)
    this.#setHead(head)
  }

  /** Goes over to another base and its stored head. What the old one had stays where it is. */
  switchBase({ keys, blocks, states, head, first, earlierHash }: ChainBase): void {
    this.#parts = { ...this.#parts, keys, blocks, states, first, earlierHash }
    this.#progress = new ProgressStore(this.#parts.database, keys)
    this.#setHead(loadHead(this.#parts.database, keys, blocks) ?? head)
  }

  /** Takes the clock and the settings to where they were left. */
  restoreProgress(): void {
    const progress = this.#progress.load()
    if (progress !== undefined) applyProgress(progress, this.#parts.clock, this.#parts.settings)
  }

  /** Changes the clock or the settings. */
  adjust<T>(change: () => T): T {
    this.#version++
    return this.#write(new WriteBatch(), change)
  }

  /** Keeps the clock and the settings as they are now. */
  saveProgress(): void {
    this.adjust(noChange)
  }

  #setHead(head: Head): void {
    this.#head = head
    this.#parts.blocks.endAt(head.block)
    this.#version++
  }

  /** Writes a batch with the clock and the settings as `change` leaves them; where that fails they stay as they were. */
  #write<T>(batch: WriteBatch, change: () => T): T {
    const { clock, settings } = this.#parts
    const rollback = captureProgress(clock, settings)
    try {
      const result = change()
      this.#progress.write(batch, clock, settings)
      return result
    } catch (error) {
      rollback()
      throw error
    }
  }
}

/** The numbers from one block on that are below another one. */
function* numbersBelow(first: StoredBlock, lowest: StoredBlock | undefined): Iterable<bigint> {
  const end = lowest?.header.number ?? 0n
  for (let { number } = first.header; number < end; number++) yield number
}

function noChange(): void {
  // The clock and the settings stay.
}

/** The states that work on a chain's head starts from. */
export class HeadStates {
  readonly #position: Pick<ChainPosition, 'head' | 'parts'>
  #kept: WorkingState | undefined

  constructor(position: Pick<ChainPosition, 'head' | 'parts'>) {
    this.#position = position
  }

  /** What `latest` reads. */
  view(): TrieStateView {
    return this.#position.parts.states.viewAt(this.#position.head.workingRoot)
  }

  /** A state of its own on the head, which has read nothing yet. */
  fresh(): WorkingState {
    return new WorkingState({ base: this.view(), store: this.#position.parts.states })
  }

  /** The state that the last block left, with what it has read; gone once it is taken, until one is kept again. */
  take(): WorkingState {
    const state = this.#kept
    this.#kept = undefined
    const fits = state !== undefined && bytesEqual(state.base.root, this.#position.head.workingRoot)
    return fits ? state : this.fresh()
  }

  /** Keeps the state that a block was executed on, which is the head by now. */
  keep(state: WorkingState): void {
    state.rebase(this.view())
    this.#kept = state
  }

  /** Forgets what was kept: the same root may be another state on another base. */
  forget(): void {
    this.#kept = undefined
  }
}
