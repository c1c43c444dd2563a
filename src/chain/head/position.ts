import { bytesEqual } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices, runToCompletion } from '../../encoding/timeSlice.js'
import { type Database, WriteBatch } from '../../storage/database.js'
import {
  ORDINAL_LENGTH,
  type Keyspace,
  decodeOrdinal,
  encodeOrdinal,
  numberOfKey,
  putOrdinal,
} from '../../storage/keyspace.js'
import type { SealedBlock, StoredBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'
import type { ProducedBlock } from '../mining/producer.js'
import type { ChainBase, ChainParts } from '../reader.js'
import { type StateCommitment, type TrieStateView, commitInBatches } from '../state/stateStore.js'
import { WorkingState } from '../state/workingState.js'
import { ProgressStore, applyProgress, captureProgress } from './progress.js'

/**
 * The end of the canonical chain: the newest block, and the state root that `latest` reads. That is the block's own
 * state root until a control edits the state.
 */
export interface Head {
  block: StoredBlock
  /** 32 bytes. */
  workingRoot: Uint8Array
}

/** Whether controls have edited the state since the head was mined. */
export function isAltered({ block, workingRoot }: Head): boolean {
  return !bytesEqual(block.header.stateRoot, workingRoot)
}

/** Encodes a head: 6 bytes of ordinal and 32 bytes of working root. */
function encodeHead({ block, workingRoot }: Head): Uint8Array {
  const bytes = new Uint8Array(ORDINAL_LENGTH + 32)
  putOrdinal(bytes, block.ordinal, 0)
  bytes.set(workingRoot, ORDINAL_LENGTH)
  return bytes
}

/** Decodes the output of {@link encodeHead}. */
function decodeHead(bytes: Uint8Array, blocks: BlockStore): Head {
  const block = blocks.byOrdinal(decodeOrdinal(bytes))
  if (block === undefined) throw new Error('the head of the chain names a block that is not stored')
  return { block, workingRoot: bytes.slice(ORDINAL_LENGTH, ORDINAL_LENGTH + 32) }
}

/** Loads the stored head of a chain, or returns undefined if there is none yet. */
export function loadHead(database: Database, keys: Keyspace, blocks: BlockStore): Head | undefined {
  const bytes = database.get(keys.head())
  return bytes === undefined ? undefined : decodeHead(bytes, blocks)
}

/** The change of the canonical chain when another block becomes its head. */
export interface HeadMove {
  /** The last block that stays; undefined if none does. */
  base: StoredBlock | undefined
  /** Blocks that become canonical, oldest first. The new head is the last one, unless it was canonical already. */
  added: StoredBlock[]
}

/** A move that is ready to be written. */
export interface PlannedMove extends HeadMove {
  /** Those of the added blocks whose rows are not written yet. */
  unwritten: readonly StoredBlock[]
  /** Numbers below the added blocks' that still have a row, if no block stays. */
  removed: readonly bigint[]
}

/** Rows of a move written at once. */
const ROWS_AT_ONCE = 512

/**
 * Plans the move to another head by following its ancestors down to the canonical chain. If none of them is canonical,
 * not even the first block, it replaces the entire chain.
 */
function* planMove(blocks: BlockStore, to: StoredBlock): Steps<HeadMove> {
  const added: StoredBlock[] = []
  let block: StoredBlock | undefined = to
  while (block !== undefined && !blocks.isCanonical(block)) {
    added.push(block)
    block = blocks.byHash(block.header.parentHash)
    yield
  }
  return { base: block, added: added.reverse() }
}

/**
 * Returns the canonical blocks above another one, oldest first.
 *
 * @param base - undefined for all of them
 * @param head - the current head
 */
export function* blocksAbove(
  blocks: BlockStore,
  base: StoredBlock | undefined,
  head: StoredBlock,
): Steps<StoredBlock[]> {
  const above: StoredBlock[] = []
  const baseNumber = base?.header.number ?? -1n
  for (let { number } = head.header; number > baseNumber; number--) {
    const ordinal = blocks.canonicalOrdinal(number)
    const block = ordinal === undefined ? undefined : blocks.byOrdinal(ordinal)
    if (block === undefined) break
    above.push(block)
    yield
  }
  return above.reverse()
}

/**
 * Adds the rows number -> ordinal of a move and the new head to a batch. Rows above the head stay but are ignored (see
 * {@link BlockStore.endAt}), so a rollback of any length costs the same.
 *
 * @param removed - numbers below the new head that have no canonical block any more
 */
export function stageMove(
  batch: WriteBatch,
  keys: Keyspace,
  { added, removed = [] }: { added: readonly StoredBlock[]; removed?: readonly bigint[] },
  head: Head,
): void {
  for (const number of removed) batch.delete(keys.ordinalByNumber(number))
  stageRows(batch, keys, added)
  batch.put(keys.head(), encodeHead(head))
}

function stageRows(batch: WriteBatch, keys: Keyspace, added: readonly StoredBlock[]): void {
  for (const { header, ordinal } of added) {
    batch.put(keys.ordinalByNumber(header.number), encodeOrdinal(ordinal))
  }
}

/** The plan of a move, and changes within the same write. */
export interface MoveOptions {
  /** The move as it was planned; needed if it may be long, or replaces all blocks. */
  planned?: PlannedMove | undefined
  /** Adds changes to the batch of the move. */
  stage?: ((batch: WriteBatch) => void) | undefined
  /** Changes the clock and the settings of coming blocks. */
  change?: (() => void) | undefined
}

/**
 * The position of a chain: its base, its head, and the operator's clock and settings. Each change is one atomic write,
 * and takes effect in memory only once it is written. Emits no events.
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

  /** Rises with every change that may affect the next block. */
  get version(): number {
    return this.#version
  }

  /**
   * Stores a block that was executed on the head, and makes it the head. Preparing the write, and storing most of a
   * large state before it, may yield many times; nothing takes effect before the write.
   *
   * @param change - updates the clock and the settings of coming blocks
   */
  async advance({ block, commitment }: ProducedBlock, change: () => void): Promise<StoredBlock> {
    const { blocks, states, keys, database } = this.#parts
    const batch = new WriteBatch()
    const stateNode = states.stage(batch, await commitInBatches(this.#parts, commitment))
    const slice = new TimeSlice()
    const staged = await runInSlices(blocks.stage(batch, block, stateNode), slice)
    await database.writeLargeRecords(batch)
    // The rest happens at once: the write, the mempool, the events.
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const { block: stored } = staged.record
    const head = { block: stored, workingRoot: block.header.stateRoot }
    stageMove(batch, keys, { added: [stored] }, head)
    this.#write(batch, change)
    const added = blocks.added(staged)
    this.#setHead(head)
    return added
  }

  /** Stores a side block. Without a commitment, its state is not stored. */
  async store(block: SealedBlock, commitment?: StateCommitment): Promise<StoredBlock> {
    const { blocks, states, database } = this.#parts
    const batch = new WriteBatch()
    const stateNode = commitment && states.stage(batch, await commitInBatches(this.#parts, commitment))
    const staged = await runInSlices(blocks.stage(batch, block, stateNode), new TimeSlice())
    await database.writeLargeRecords(batch)
    database.write(batch)
    return blocks.added(staged)
  }

  /**
   * Plans the move to a stored block. The chain must not change until {@link move}. Of a long move, most rows above the
   * head are written now: they are ignored until it has moved.
   */
  async planMove(to: StoredBlock): Promise<PlannedMove> {
    const { blocks, keys, database } = this.#parts
    const slice = new TimeSlice()
    const move = await runInSlices(planMove(blocks, to), slice)
    let unwritten: readonly StoredBlock[] = move.added
    while (unwritten.length > ROWS_AT_ONCE) {
      const group = unwritten.slice(-ROWS_AT_ONCE)
      if (group[0] === undefined || group[0].header.number <= this.#head.block.header.number) break
      const batch = new WriteBatch()
      stageRows(batch, keys, group)
      database.write(batch)
      unwritten = unwritten.slice(0, -ROWS_AT_ONCE)
      await slice.pause()
    }
    const removed = move.base === undefined ? await this.#numbersBelow(move.added[0], slice) : []
    return { ...move, unwritten, removed }
  }

  /** Returns the numbers below a block's that have a row: of the chain, or of one before it. */
  async #numbersBelow(lowest: StoredBlock | undefined, slice: TimeSlice): Promise<bigint[]> {
    const { keys, database } = this.#parts
    const end = lowest?.header.number ?? 0n
    const numbers: bigint[] = []
    if (end === 0n) return numbers
    for await (const [key] of database.iterate(keys.ordinalsByNumber(0n, end - 1n))) {
      numbers.push(numberOfKey(key))
      await slice.pause()
    }
    return numbers
  }

  /** Makes a stored block the head. */
  move(head: Head, { planned, stage, change = noChange }: MoveOptions = {}): void {
    const { blocks, keys } = this.#parts
    const added = planned?.unwritten ?? runToCompletion(planMove(blocks, head.block)).added
    const batch = new WriteBatch()
    stageMove(batch, keys, { added, removed: planned?.removed ?? [] }, head)
    stage?.(batch)
    this.#write(batch, change)
    this.#setHead(head)
  }

  /** Changes the working root of the head. */
  alter(commitment: StateCommitment): void {
    const { states, keys } = this.#parts
    const head = { ...this.#head, workingRoot: commitment.root }
    const batch = new WriteBatch()
    states.stage(batch, commitment)
    batch.put(keys.head(), encodeHead(head))
    this.#write(batch, noChange)
    this.#setHead(head)
  }

  /** Switches to another base and its stored head. The data of the old base stays. */
  switchBase({ keys, blocks, states, head, first, earlierHash }: ChainBase): void {
    this.#parts = { ...this.#parts, keys, blocks, states, first, earlierHash }
    this.#progress = new ProgressStore(this.#parts.database, keys)
    this.#setHead(loadHead(this.#parts.database, keys, blocks) ?? head)
  }

  /** Restores the stored clock and settings. */
  restoreProgress(): void {
    const progress = this.#progress.load()
    if (progress !== undefined) applyProgress(progress, this.#parts.clock, this.#parts.settings)
  }

  /** Changes the clock or the settings. */
  adjust<T>(change: () => T): T {
    this.#version++
    return this.#write(new WriteBatch(), change)
  }

  /** Stores the current clock and settings. */
  saveProgress(): void {
    this.adjust(noChange)
  }

  #setHead(head: Head): void {
    this.#head = head
    this.#parts.blocks.endAt(head.block)
    this.#version++
  }

  /** Writes a batch together with the clock and settings after `change`. If that fails, `change` is rolled back. */
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

function noChange(): void {
  // Keeps the clock and the settings.
}

/** Provides working states on a chain's head. */
export class HeadStates {
  readonly #position: Pick<ChainPosition, 'head' | 'parts'>
  #kept: WorkingState | undefined

  constructor(position: Pick<ChainPosition, 'head' | 'parts'>) {
    this.#position = position
  }

  /** Returns the state that `latest` reads. */
  view(): TrieStateView {
    return this.#position.parts.states.viewAt(this.#position.head.workingRoot)
  }

  /** Creates a separate state on the head, with nothing cached. */
  fresh(): WorkingState {
    return new WorkingState({ base: this.view(), store: this.#position.parts.states })
  }

  /** Takes the state that the last block left, with everything it has cached, or a fresh one if it is already taken. */
  take(): WorkingState {
    const state = this.#kept
    this.#kept = undefined
    const fits = state !== undefined && bytesEqual(state.base.root, this.#position.head.workingRoot)
    return fits ? state : this.fresh()
  }

  /** Keeps the state that the current head was executed on. */
  keep(state: WorkingState): void {
    state.rebase(this.view())
    this.#kept = state
  }

  /** Drops the kept state: on another base, the same root may be another state. */
  forget(): void {
    this.#kept = undefined
  }
}
