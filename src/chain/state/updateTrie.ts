import { bytesEqual } from '../../encoding/hex.js'
import { keccak256 } from '../crypto.js'
import { isPair, itemEnd, payloadStart } from '../rlp.js'
import {
  NO_CHILD,
  type TrieEntry,
  buildNode,
  collapsed,
  isLeafOfAnother,
  leafOfKey,
  makeRecord,
  prefixed,
  withChild,
  withValue,
} from './makeRecord.js'
import {
  EMPTY_TRIE_ROOT,
  HASH_HEAD,
  type Nibbles,
  NodeRecord,
  childAt,
  commonWithKey,
  endsWith,
  nibbleAt,
} from './nodeRecord.js'
import {
  type BranchNode,
  type BranchPatch,
  type Child,
  type ExtensionNode,
  type NewNode,
  type NodeReader,
  Reference,
  type TrieNode,
  childOfBranch,
  decodeNode,
  follow,
  nodeBehind,
} from './trieNode.js'

/** One change of a trie: a key (hashed, for state and storage tries) and its value; undefined removes it. */
export interface TrieChange {
  key: Uint8Array
  /** Not empty. */
  value: Uint8Array | undefined
}

/** A change that does not remove its key. */
type Put = TrieChange & { value: Uint8Array }

/** Is told what becomes of a trie's nodes. */
export interface NodeCollector {
  /** A node was made; its children were before. */
  add(record: NodeRecord): void
  /** A node, made just now or of the old trie, has become the root of this 32-byte hash. */
  addRoot(hash: Uint8Array, record: NodeRecord): void
  /** A node is not where it was any more. */
  replace?(record: NodeRecord): void
}

/**
 * Applies changes to the trie under a root and returns the new root. Only nodes that really change are made, each
 * once; nothing that is stored is touched.
 *
 * @param changes sorted by key as bytes, every key at most once.
 * @throws MissingNodeError if the root is unknown.
 */
export function updateTrie(
  reader: NodeReader,
  root: Uint8Array,
  changes: readonly TrieChange[],
  collect: NodeCollector,
): Uint8Array {
  const before = bytesEqual(root, EMPTY_TRIE_ROOT) ? undefined : new Reference(root, reader.getRoot(root))
  const after = new TrieUpdate(reader, changes, collect).update(before, 0, { from: 0, to: changes.length })
  if (after === undefined) return EMPTY_TRIE_ROOT
  if (after === before) return root
  const record = recordOf(reader, after, collect)
  const hash = keccak256(record.rlp)
  collect.addRoot(hash, record)
  return hash
}

/** An untouched part of the old trie that has become the whole is a root by its hash even where it is short. */
function recordOf(reader: NodeReader, root: Child, collect: NodeCollector): NodeRecord {
  if (root instanceof Reference && root.link !== undefined) return follow(reader, root.link)
  const record = encoded(root, collect)
  collect.add(record)
  return record
}

function encoded(node: Child, collect: NodeCollector): NodeRecord {
  if (node instanceof NodeRecord) return node
  if (node instanceof Reference) return new NodeRecord(node.item.slice(), node.item.length)
  return makeRecord(node, (made) => collect.add(made))
}

/** Part of the sorted changes: those from one index up to but not including another. */
interface Span {
  from: number
  to: number
}

/** One pass over a trie. `depth` is how many half bytes of the keys lie above the node in hand. */
class TrieUpdate {
  readonly #reader: NodeReader
  readonly #changes: readonly TrieChange[]
  readonly #collect: NodeCollector

  constructor(reader: NodeReader, changes: readonly TrieChange[], collect: NodeCollector) {
    this.#reader = reader
    this.#changes = changes
    this.#collect = collect
  }

  /** The node that a span of changes makes of a child: the very same object if it stays as it is. */
  update(child: Child | undefined, depth: number, span: Span): Child | undefined {
    if (span.from === span.to) return child
    if (child === undefined) return buildNode(this.#puts(span), depth)
    if (child instanceof NodeRecord) throw new Error('a node that was made is not changed again')
    if (!(child instanceof Reference)) return this.#updateNode(child, depth, span)
    const record = nodeBehind(this.#reader, child)
    const after = this.#updateStored(record, depth, span)
    if (after === record) return child
    if (child.link !== undefined) this.#collect.replace?.(record)
    return after
  }

  /** What a span of changes makes of a stored node: the record itself if it stays as it is. */
  #updateStored(record: NodeRecord, depth: number, span: Span): Child | undefined {
    const { key, value } = this.#changes[span.from] as TrieChange
    const isOne = span.to - span.from === 1
    if (isOne && value !== undefined) return this.#put(record, depth, span.from)
    if (!isPair(record.bytes)) {
      if (key.length * 2 > depth) return this.#patchBranch(record, depth, span)
    } else if (isOne && isLeafOfAnother(record, depth, key)) {
      return record
    }
    const node = decodeNode(record)
    const updated = this.#updateNode(node, depth, span)
    return updated === node ? record : updated
  }

  /**
   * A stored node with one value put into it: the record itself if it had that value.
   *
   * Most of what a block changes is this, so it is one walk down and up again, on which nothing is decoded and nothing is
   * noted down.
   */
  #put(record: NodeRecord, depth: number, index: number): NodeRecord {
    const { key, value } = this.#changes[index] as Put
    const { bytes } = record
    const isLeafOrExtension = isPair(bytes)
    if (isLeafOrExtension || key.length * 2 === depth) {
      return (
        (isLeafOrExtension ? withValue(record, depth, key, value) : undefined) ??
        this.#putInto(record, depth, index)
      )
    }
    const { start, link } = childAt(bytes, nibbleAt(key, depth))
    const end = itemEnd(bytes, start)
    const before = childOfBranch(this.#reader, record, { start, end, link })
    const child =
      before === undefined ? leafOfKey(key, depth + 1, value) : this.#put(before, depth + 1, index)
    if (child === before) return record
    if (before !== undefined && bytes[start] === HASH_HEAD) this.#collect.replace?.(before)
    if (child.hasHash) this.#collect.add(child)
    return withChild(record, { start, end, link }, child)
  }

  /** The same of a node whose kind changes, or that is an extension. */
  #putInto(record: NodeRecord, depth: number, index: number): NodeRecord {
    const node = decodeNode(record)
    const updated = this.#updateNode(node, depth, { from: index, to: index + 1 })
    return updated === node ? record : encoded(updated as Child, this.#collect)
  }

  /** A stored branch with other children, for changes whose keys do not end here. */
  #patchBranch(record: NodeRecord, depth: number, span: Span): Child | undefined {
    const patches: BranchPatch[] = []
    const { bytes } = record
    let start = payloadStart(bytes, 0)
    let index = 0
    let link = 0
    let isSmaller = false
    for (let { from } = span; from < span.to;) {
      const nibble = nibbleAt(this.#key(from), depth)
      let to = from + 1
      while (to < span.to && nibbleAt(this.#key(to), depth) === nibble) to++
      for (; index < nibble; index++) {
        if (bytes[start] === HASH_HEAD) link++
        start = itemEnd(bytes, start)
      }
      const end = itemEnd(bytes, start)
      const before = childOfBranch(this.#reader, record, { start, end, link })
      const below = { from, to }
      const child =
        before === undefined
          ? buildNode(this.#puts(below), depth + 1)
          : this.#updateStored(before, depth + 1, below)
      if (child !== before) {
        if (before !== undefined && bytes[start] === HASH_HEAD) this.#collect.replace?.(before)
        if (child === undefined) isSmaller = true
        patches.push({ index, start, end, link, child: child ?? NO_CHILD })
      }
      from = to
    }
    if (patches.length === 0) return record
    return isSmaller ? this.#shrunk(record, patches) : { kind: 'patched branch', record, patches }
  }

  /** A stored branch that has lost children, and may not stay one. */
  #shrunk(record: NodeRecord, patches: readonly BranchPatch[]): Child | undefined {
    const branch = decodeNode(record) as BranchNode
    for (const { index, child } of patches) branch.children[index] = child === NO_CHILD ? undefined : child
    return collapsed(this.#reader, branch)
  }

  #updateNode(node: NewNode, depth: number, span: Span): Child | undefined {
    switch (node.kind) {
      case 'patched branch':
        throw new Error('a node that was made is not changed again')
      case 'leaf':
        return this.#updateLeaf(node, depth, span)
      case 'extension':
        return this.#updateExtension(node, depth, span)
      case 'branch':
        return this.#updateBranch(node, depth, span)
    }
  }

  #updateLeaf(leaf: TrieNode & { kind: 'leaf' }, depth: number, span: Span): Child | undefined {
    const { path, value } = leaf
    const entries = this.#puts(span)
    const change = this.#find(span, (key) => endsWith(key, depth, path))
    if (change === undefined) {
      if (entries.length === 0) return leaf
      entries.push({ key: this.#keyOf(path, depth, span), value })
      entries.sort((a, b) => Buffer.compare(a.key, b.key))
    } else if (entries.length === 1 && change.value !== undefined && bytesEqual(change.value, value)) {
      return leaf
    }
    return buildNode(entries, depth)
  }

  #updateExtension(extension: ExtensionNode, depth: number, span: Span): Child | undefined {
    const { path, child } = extension
    const shared = Math.min(
      commonWithKey(path, this.#key(span.from), depth),
      commonWithKey(path, this.#key(span.to - 1), depth),
    )
    if (shared === path.length) {
      const after = this.update(child, depth + shared, span)
      return after === child ? extension : prefixed(this.#reader, path, after)
    }
    // The path splits: what hung below it becomes one way of a new branch.
    const branch: BranchNode = {
      kind: 'branch',
      children: new Array<undefined>(16).fill(undefined),
      value: undefined,
    }
    const rest = path.subarray(shared + 1)
    branch.children[path[shared] ?? 0] = rest.length === 0 ? child : { kind: 'extension', path: rest, child }
    const after = this.#updateBranch(branch, depth + shared, span)
    return after === branch ? extension : prefixed(this.#reader, path.subarray(0, shared), after)
  }

  #updateBranch(branch: BranchNode, depth: number, span: Span): Child | undefined {
    const children = branch.children.slice()
    let value = branch.value
    let changed = false
    let { from } = span
    const first = this.#changes[from]
    if (first !== undefined && first.key.length * 2 === depth) {
      value = first.value
      changed = !(value === branch.value || (value && branch.value && bytesEqual(value, branch.value)))
      from++
    }
    while (from < span.to) {
      const nibble = nibbleAt(this.#key(from), depth)
      let to = from + 1
      while (to < span.to && nibbleAt(this.#key(to), depth) === nibble) to++
      const child = children[nibble]
      const after = this.update(child, depth + 1, { from, to })
      if (after !== child) {
        children[nibble] = after
        changed = true
      }
      from = to
    }
    return changed ? collapsed(this.#reader, { kind: 'branch', children, value }) : branch
  }

  #puts({ from, to }: Span): TrieEntry[] {
    const entries: TrieEntry[] = []
    for (const { key, value } of this.#changes.slice(from, to)) {
      if (value !== undefined) entries.push({ key, value })
    }
    return entries
  }

  #find({ from, to }: Span, matches: (key: Uint8Array) => boolean): TrieChange | undefined {
    for (let i = from; i < to; i++) {
      if (matches(this.#key(i))) return this.#changes[i]
    }
    return undefined
  }

  /** The whole key of a leaf: the changes that lead to it have its beginning. */
  #keyOf(path: Nibbles, depth: number, span: Span): Uint8Array {
    const start = this.#key(span.from)
    const key = new Uint8Array((depth + path.length) / 2)
    for (let i = 0; i < depth + path.length; i++) {
      const nibble = i < depth ? nibbleAt(start, i) : (path[i - depth] ?? 0)
      key[i >>> 1] = (key[i >>> 1] ?? 0) | ((i & 1) === 0 ? nibble << 4 : nibble)
    }
    return key
  }

  #key(index: number): Uint8Array {
    return this.#changes[index]?.key ?? NO_KEY
  }
}

const NO_KEY = new Uint8Array(0)
