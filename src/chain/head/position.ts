import { bytesEqual } from '../../encoding/hex.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { type Database, WriteBatch } from '../../storage/database.js'
import { type Keyspace, decodeOrdinal, encodeOrdinal, putOrdinal } from '../../storage/keyspace.js'
import type { SealedBlock, StoredBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'
import type { ProducedBlock } from '../mining/producer.js'
import type { ChainBase, ChainParts } from '../reader.js'
import { type StateCommitment, type TrieStateView, commitInBatches } from '../state/stateStore.js'
import { WorkingState } from '../state/workingState.js'
import { ProgressStore, applyProgress, captureProgress } from './progress.js'

/**
 * The end of the canonical chain: the newest block, and the state root that `latest` reads. That is the block's own
 * state root until a control moves the state.
 */
export interface Head {
  block: StoredBlock
  /** 32 bytes. */
  workingRoot: Uint8Array
}

/** Whether controls have moved the state since the head was mined. */
export function isAltered({ block, workingRoot }: Head): boolean {
  return !bytesEqual(block.header.stateRoot, workingRoot)
}

const ORDINAL_LENGTH = 6

/** A head as 6 bytes of ordinal and 32 bytes of working root. */
export function encodeHead({ block, workingRoot }: Head): Uint8Array {
  const bytes = new Uint8Array(ORDINAL_LENGTH + 32)
  putOrdinal(bytes, block.ordinal, 0)
  bytes.set(workingRoot, ORDINAL_LENGTH)
  return bytes
}

/** Reads what {@link encodeHead} wrote. */
export function decodeHead(bytes: Uint8Array, blocks: BlockStore): Head {
  const block = blocks.byOrdinal(decodeOrdinal(bytes))
  if (block === undefined) throw new Error('the head of the chain names a block that is not stored')
  return { block, workingRoot: bytes.slice(ORDINAL_LENGTH, ORDINAL_LENGTH + 32) }
}

/** The stored head of a chain, or undefined if it has none yet. */
export function loadHead(database: Database, keys: Keyspace, blocks: BlockStore): Head | undefined {
  const bytes = database.get(keys.head())
  return bytes === undefined ? undefined : decodeHead(bytes, blocks)
}

/** How the canonical chain changes when another block becomes its head. */
export interface HeadMove {
  /** The last block that stays; undefined where nothing does. */
  base: StoredBlock | undefined
  /** Blocks that join it, oldest first; the new head is the last unless it was canonical already. */
  added: StoredBlock[]
}

/**
 * What has to change for `to` to become the head: its ancestors are followed down to the canonical chain. One that has
 * no ancestor there, not even the first block, takes the place of the whole chain.
 */
export function planMove(blocks: BlockStore, to: StoredBlock): HeadMove {
  const added: StoredBlock[] = []
  let block: StoredBlock | undefined = to
  while (block !== undefined && !blocks.isCanonical(block)) {
    added.push(block)
    block = blocks.byHash(block.header.parentHash)
  }
  return { base: block, added: added.reverse() }
}

/**
 * The canonical blocks above another one, oldest first.
 *
 * @param base - undefined for all of them
 * @param head - the head now
 */
export function blocksAbove(
  blocks: BlockStore,
  base: StoredBlock | undefined,
  head: StoredBlock,
): StoredBlock[] {
  const above: StoredBlock[] = []
  const stays = base?.header.number ?? -1n
  for (let { number } = head.header; number > stays; number--) {
    const ordinal = blocks.canonicalOrdinal(number)
    const block = ordinal === undefined ? undefined : blocks.byOrdinal(ordinal)
    if (block === undefined) break
    above.push(block)
  }
  return above.reverse()
}

/**
 * Puts the rows number -> ordinal of a move and the new head into a batch. Rows above the head stay: they count for
 * nothing (see {@link BlockStore.endAt}), so that going back costs the same however far it leads.
 *
 * @param gone - numbers below the new head whose blocks are canonical no more, without others in their place
 */
export function stageMove(
  batch: WriteBatch,
  keys: Keyspace,
  { added, gone = [] }: { added: readonly StoredBlock[]; gone?: Iterable<bigint> },
  head: Head,
): void {
  for (const number of gone) batch.delete(keys.ordinalByNumber(number))
  for (const block of added) {
    batch.put(keys.ordinalByNumber(block.header.number), encodeOrdinal(block.ordinal))
  }
  batch.put(keys.head(), encodeHead(head))
}

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
    states.stage(batch, await commitInBatches(this.#parts, commitment))
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
    if (commitment !== undefined) states.stage(batch, await commitInBatches(this.#parts, commitment))
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
