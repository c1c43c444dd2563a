import type { Database } from '../../storage/database.js'
import { decodeOrdinal, encodeOrdinal, putOrdinal, type Keyspace } from '../../storage/keyspace.js'
import type { WriteBatch } from '../../storage/writeBatch.js'
import { bytesEqual } from '../../encoding/hex.js'
import type { StoredBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'

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
