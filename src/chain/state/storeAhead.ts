import { TimeSlice } from '../../encoding/timeSlice.js'
import type { Database } from '../../storage/database.js'
import { WriteBatch } from '../../storage/writeBatch.js'
import { Preimages } from './preimages.js'
import type { StateCommitment, StateStore } from './stateStore.js'

/** Trie nodes that are written at once, at most. */
const NODES_AT_ONCE = 1024
/** Addresses and slots. */
const KEYS_AT_ONCE = 1024
/** Bytes of codes, with which a write is full. */
const CODE_BYTES_AT_ONCE = 256 * 1024

/**
 * Stores most of a large state in small writes with turns for other work between them, so that the one that makes it count
 * is small too. What is stored of a state counts for nothing before its root is.
 *
 * @returns what is left, to be stored with what names the root
 * @throws StorageWriteError if the disk refuses
 */
export async function storeAhead(
  { states, database }: { states: StateStore; database: Pick<Database, 'write'> },
  commitment: StateCommitment,
): Promise<StateCommitment> {
  if (fitsOneWrite(commitment)) return commitment
  const slice = new TimeSlice()
  const nothing = { ...commitment, nodes: [], roots: new Map(), replaced: [], codes: new Map() }
  const store = async (part: Partial<StateCommitment>): Promise<void> => {
    const batch = new WriteBatch()
    states.stage(batch, { ...nothing, preimages: new Preimages(), ...part })
    database.write(batch)
    await slice.pause()
  }
  const nodes = await allButLast(
    groupsOf(commitment.nodes, NODES_AT_ONCE, () => 1),
    (group) => store({ nodes: group }),
  )
  const codes = await allButLast(
    groupsOf(commitment.codes, CODE_BYTES_AT_ONCE, ([, { bytes }]) => bytes.length),
    (group) => store({ codes: new Map(group) }),
  )
  const preimages = await allButLast(commitment.preimages.inParts(KEYS_AT_ONCE), (part) =>
    store({ preimages: part }),
  )
  return {
    ...commitment,
    nodes: nodes ?? [],
    codes: new Map(codes),
    preimages: preimages ?? new Preimages(),
  }
}

/** As most do: of a small block nothing is copied. */
function fitsOneWrite({ nodes, codes, preimages }: StateCommitment): boolean {
  let codeBytes = 0
  for (const { bytes } of codes.values()) codeBytes += bytes.length
  return nodes.length <= NODES_AT_ONCE && codeBytes <= CODE_BYTES_AT_ONCE && preimages.count <= KEYS_AT_ONCE
}

/** Lists of items that follow each other; each ends with the item that fills it. */
function* groupsOf<T>(items: Iterable<T>, most: number, sizeOf: (item: T) => number): Iterable<T[]> {
  let group: T[] = []
  let size = 0
  for (const item of items) {
    group.push(item)
    size += sizeOf(item)
    if (size < most) continue
    yield group
    group = []
    size = 0
  }
  if (group.length > 0) yield group
}

async function allButLast<T>(
  groups: Iterable<T>,
  store: (group: T) => Promise<void>,
): Promise<T | undefined> {
  let last: T | undefined
  for (const group of groups) {
    if (last !== undefined) await store(last)
    last = group
  }
  return last
}
