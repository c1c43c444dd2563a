import { ORDINAL_LENGTH, TRIE_NODE_KEY_LENGTH, isTrieNodeKey, ordinalAt, ordinalOfKey } from './keyspace.js'
import { CurrentTables, FOOTER_LENGTH, TRAILER_LENGTH, type TableFile, VarintReader } from './levelFormat.js'
import { SegmentFiles } from './segmentFiles.js'

/** LevelDB's own copies of a key end with a sequence number (7 bytes) and a type. */
const SUFFIX_LENGTH = 8
const TYPE_VALUE = 1
/** Offset of a node's number in its key. */
const NUMBER_AT = TRIE_NODE_KEY_LENGTH - ORDINAL_LENGTH
const NOT_COMPRESSED = 0
/** New tables that may exist before the list is read again; LevelDB keeps about as many open. */
const TABLES_UNLISTED = 32
/** Blocks kept: those along the path of one read. */
const BLOCKS_KEPT = 8
/** Size of the memory for a kept block; longer ones are not kept. */
const BLOCK_MEMORY = 32 * 1024
/** Blocks in indexes before these are dropped and read anew: 8 MB. */
const INDEXED_BLOCKS = 2 ** 20

/** Where the blocks of a table are: block `i` holds the nodes above `lasts[i - 1]`, up to `lasts[i]`. */
interface TableIndex {
  lasts: Float64Array
  /** One more than there are blocks; with trailers. */
  offsets: Uint32Array
}

/** A table with its nodes' numbers, inclusive. */
interface NodeTable {
  file: number
  size: number
  first: number
  last: number
  index: TableIndex | undefined
}

/**
 * Reads trie nodes from LevelDB's table files. LevelDB maps a table into memory to read from it, so only few may stay
 * open; on a long chain, nodes of an old state are in others, and opening one takes five times as long as reading
 * a block of it here.
 *
 * Nodes never change, so a table that was replaced meanwhile still gives the right answer. Whatever is not simple is
 * left to LevelDB: nodes that several tables may hold, and those of several networks.
 */
export class NodeTables {
  readonly #current: CurrentTables
  readonly #files: SegmentFiles
  /** In the order of numbers, not overlapping; undefined until they are needed. */
  #tables: NodeTable[] | undefined
  /** Network of the nodes. */
  #network = 0
  #unlisted = 0
  #isStopped = false
  #indexedBlocks = 0
  readonly #blocks = new BlockRing()

  /** @param directory - LevelDB's, which has it open */
  constructor(directory: string) {
    this.#current = new CurrentTables(directory)
    this.#files = new SegmentFiles({ directory, digits: 6, extension: 'ldb' })
  }

  /** Records that LevelDB may have written a table. */
  written(): void {
    this.#unlisted++
    if (this.#unlisted > TABLES_UNLISTED && !this.#isStopped) this.#list()
  }

  /** Leaves everything to LevelDB, because nodes are being removed. */
  stop(): void {
    this.#isStopped = true
    this.close()
  }

  /** Reads the list of tables anew, before the next node. */
  forget(): void {
    this.#tables = undefined
    this.#indexedBlocks = 0
    this.#blocks.clear()
  }

  close(): void {
    this.forget()
    this.#files.close()
  }

  /** Returns a copy of a node's bytes; undefined if LevelDB has to be asked. */
  get(key: Uint8Array): Uint8Array | undefined {
    if (this.#isStopped) return undefined
    if (this.#tables === undefined) this.#list()
    if (key[0] !== this.#network) return undefined
    const number = ordinalOfKey(key)
    const table = this.#tableOf(number)
    if (table === undefined) return undefined
    try {
      return this.#read(table, number)
    } catch {
      // LevelDB has replaced the table, or finds the damage.
      this.forget()
      return undefined
    }
  }

  #list(): void {
    this.#unlisted = 0
    const known = new Map(this.#tables?.map((table) => [table.file, table]))
    this.#tables = []
    const files = this.#currentFiles()
    const network = files[0]?.smallest[0]
    if (network === undefined || !files.every((file) => isOfNetwork(file, network))) return
    this.#network = network
    const tables = files
      .map((file) => known.get(file.number) ?? tableOf(file))
      .sort((a, b) => a.first - b.first)
    // Of tables that overlap, LevelDB knows which is newer.
    const ends = tables.map(({ last }) => last)
    for (let i = 1; i < ends.length; i++) ends[i] = Math.max(ends[i]!, ends[i - 1]!)
    this.#tables = tables.filter(
      ({ first, last }, i) => (i === 0 || ends[i - 1]! < first) && (tables[i + 1]?.first ?? Infinity) > last,
    )
  }

  #currentFiles(): TableFile[] {
    try {
      return this.#current.list()
    } catch {
      return []
    }
  }

  #tableOf(number: number): NodeTable | undefined {
    const tables = this.#tables!
    const at = firstNotBelow(tables.length, (i) => tables[i]!.last >= number)
    const table = tables[at]
    return table !== undefined && table.first <= number && number <= table.last ? table : undefined
  }

  #read(table: NodeTable, number: number): Uint8Array | undefined {
    const { lasts, offsets } = (table.index ??= this.#readIndex(table))
    const block = firstNotBelow(lasts.length, (i) => lasts[i]! >= number)
    const start = offsets[block]!
    const length = offsets[block + 1]! - start
    const bytes = this.#blocks.get(table.file, start, length, (memory) =>
      this.#fill(table.file, start, memory),
    )
    return bytes[length - TRAILER_LENGTH] === NOT_COMPRESSED ? findNode(bytes, number) : undefined
  }

  #readIndex({ file, size, last }: NodeTable): TableIndex {
    const footer = new VarintReader(
      this.#fill(file, size - FOOTER_LENGTH, Buffer.allocUnsafe(FOOTER_LENGTH)),
      0,
    )
    footer.handle()
    const { offset, length } = footer.handle()
    const bytes = this.#fill(file, offset, Buffer.allocUnsafe(length + TRAILER_LENGTH))
    const index = decodeIndex(bytes, last)
    this.#indexedBlocks += index.lasts.length
    if (this.#indexedBlocks > INDEXED_BLOCKS) {
      for (const table of this.#tables!) table.index = undefined
      this.#indexedBlocks = index.lasts.length
    }
    return index
  }

  #fill(file: number, offset: number, memory: Buffer): Buffer {
    if (this.#files.readSync(file, offset, memory) < memory.length)
      throw new Error('the table ends too early')
    return memory
  }
}

/** Whether a table holds nodes of one network only. */
function isOfNetwork({ smallest, largest }: TableFile, network: number): boolean {
  return [smallest, largest].every((key) => isTrieNodeKey(userKey(key)) && key[0] === network)
}

function userKey(key: Uint8Array): Uint8Array {
  return key.subarray(0, key.length - SUFFIX_LENGTH)
}

function tableOf({ number, size, smallest, largest }: TableFile): NodeTable {
  const [first, last] = [smallest, largest].map((key) => ordinalOfKey(userKey(key)))
  return { file: number, size, first: first!, last: last!, index: undefined }
}

/** Returns the first index below `end` from which on a condition holds; `end - 1` if it never does. */
function firstNotBelow(end: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = end - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Entries of a block: a key that shares its beginning with the one before, and a value (LevelDB, doc/table_format.md). */
class BlockEntries {
  readonly #reader: VarintReader
  readonly #end: number
  readonly #bytes: Buffer
  readonly key = Buffer.alloc(TRIE_NODE_KEY_LENGTH + SUFFIX_LENGTH)
  keyLength = 0
  valueStart = 0
  valueLength = 0

  /** @param bytes - the block and its trailer */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#reader = new VarintReader(bytes, 0)
    const restarts = bytes.length - TRAILER_LENGTH - 4
    this.#end = restarts - 4 * bytes.readUInt32LE(restarts)
  }

  /** Moves to the next entry. @returns whether there is one */
  next(): boolean {
    const reader = this.#reader
    reader.position = this.valueStart + this.valueLength
    if (reader.position >= this.#end) return false
    const shared = reader.next()
    const added = reader.next()
    this.valueLength = reader.next()
    this.#bytes.copy(this.key, shared, reader.position, reader.position + added)
    this.keyLength = shared + added
    this.valueStart = reader.position + added
    return true
  }
}

/** Decodes the index of a table. @param last - greatest number in the table; the index may name a greater one */
function decodeIndex(bytes: Buffer, last: number): TableIndex {
  const lasts: number[] = []
  const offsets: number[] = []
  const entries = new BlockEntries(bytes)
  let end = 0
  while (entries.next()) {
    const { offset, length } = new VarintReader(bytes, entries.valueStart).handle()
    // A key between two blocks may be shorter than those in them: the rest counts as zeros.
    entries.key.fill(
      0,
      Math.min(entries.keyLength - SUFFIX_LENGTH, TRIE_NODE_KEY_LENGTH),
      TRIE_NODE_KEY_LENGTH,
    )
    lasts.push(ordinalAt(entries.key, NUMBER_AT))
    offsets.push(offset)
    end = offset + length + TRAILER_LENGTH
  }
  lasts[lasts.length - 1] = last
  return { lasts: Float64Array.from(lasts), offsets: Uint32Array.from([...offsets, end]) }
}

/** Returns a copy of the node with a number; undefined if the block has none, or its removal. */
function findNode(bytes: Buffer, number: number): Uint8Array | undefined {
  const entries = new BlockEntries(bytes)
  while (entries.next()) {
    if (ordinalAt(entries.key, NUMBER_AT) !== number) continue
    if (entries.key[TRIE_NODE_KEY_LENGTH] !== TYPE_VALUE) return undefined
    const node = new Uint8Array(entries.valueLength)
    node.set(bytes.subarray(entries.valueStart, entries.valueStart + entries.valueLength))
    return node
  }
  return undefined
}

/** The last blocks read, in memory of a fixed size. */
class BlockRing {
  readonly #memory = Array.from({ length: BLOCKS_KEPT }, () => Buffer.alloc(0))
  readonly #kept: { file: number; start: number; bytes: Buffer }[] = []
  #next = 0

  clear(): void {
    this.#kept.length = 0
  }

  /** Returns a block, which is valid until the next call; `fill` reads one that is not kept. */
  get(file: number, start: number, length: number, fill: (memory: Buffer) => Buffer): Buffer {
    for (const block of this.#kept) if (block.file === file && block.start === start) return block.bytes
    if (length > BLOCK_MEMORY) return fill(Buffer.allocUnsafe(length))
    const place = this.#next
    this.#next = (place + 1) % BLOCKS_KEPT
    if (this.#memory[place]!.length === 0) this.#memory[place] = Buffer.allocUnsafeSlow(BLOCK_MEMORY)
    const bytes = this.#memory[place]!.subarray(0, length)
    // Not kept if reading it fails.
    this.#kept[place] = { file: -1, start: 0, bytes }
    fill(bytes)
    this.#kept[place] = { file, start, bytes }
    return bytes
  }
}
