import { bytesEqual } from '../../encoding/hex.js'
import { keccak256 } from '../crypto.js'
import { isPair, itemEnd, payloadStart } from '../rlp.js'
import { NO_BYTES } from './account.js'
import {
  NO_CHILD,
  type TrieEntry,
  buildNode,
  collapsed,
  isLeafOfAnother,
  leafOfKey,
  linkAfter,
  makeRecord,
  prefixed,
  withChild,
  withValue,
} from './makeRecord.js'
import {
  EMPTY_TRIE_ROOT,
  HASH_HEAD,
  type Nibbles,
  type NodeLink,
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

/** A change of a trie: a key (hashed in state and storage tries) and its new value; undefined removes the key. */
export interface TrieChange {
  key: Uint8Array
  /** Not empty. */
  value: Uint8Array | undefined
  /** Leads to the storage root that an account names. If it is missing, the link of the same root before stays. */
  link?: NodeLink | undefined
}

/** A change that sets a value. */
type Put = TrieChange & { value: Uint8Array }

/** Receives the nodes that an update makes and replaces. */
export interface NodeCollector {
  /** Called with each new node, after its children. */
  add(record: NodeRecord): void
  /** Called when a node, new or old, has become the root with this 32-byte hash. */
  addRoot(hash: Uint8Array, record: NodeRecord): void
  /** Called when a node is no longer in its place. */
  replace?(record: NodeRecord): void
}

/**
 * Applies changes to the trie under a root and returns the new root. Makes only nodes that really change, each once;
 * stored nodes are never modified.
 *
 * @param changes sorted by key as bytes, each key at most once
 * @throws MissingNodeError if the root is unknown
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

/**
 * Returns the record of a new root. An untouched part of the old trie may become the whole, and has a hash as a root
 * even if it is short.
 */
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

/** A range of the sorted changes; `to` is exclusive. */
interface Span {
  from: number
  to: number
}

/** One pass over a trie. `depth` is the number of key nibbles above the current node. */
class TrieUpdate {
  readonly #reader: NodeReader
  readonly #changes: readonly TrieChange[]
  readonly #collect: NodeCollector

  constructor(reader: NodeReader, changes: readonly TrieChange[], collect: NodeCollector) {
    this.#reader = reader
    this.#changes = changes
    this.#collect = collect
  }

  /** Applies a span of changes to a child. Returns the same object if nothing changes. */
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

  /** Applies a span of changes to a stored node. Returns the record itself if nothing changes. */
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
   * Puts one value into a stored node. Returns the record itself if it already had that value.
   *
   * This is most of what a block changes, so it is a single walk down and up again that decodes and records nothing.
   */
  #put(record: NodeRecord, depth: number, index: number): NodeRecord {
    const put = this.#changes[index] as Put
    const { key } = put
    const { bytes } = record
    const isLeafOrExtension = isPair(bytes)
    if (isLeafOrExtension || key.length * 2 === depth) {
      return (
        (isLeafOrExtension ? withValue(record, depth, key, put) : undefined) ??
        this.#putInto(record, depth, index)
      )
    }
    const { start, link } = childAt(bytes, nibbleAt(key, depth))
    const end = itemEnd(bytes, start)
    const before = childOfBranch(this.#reader, record, { start, end, link })
    const child = before === undefined ? leafOfKey(key, depth + 1, put) : this.#put(before, depth + 1, index)
    if (child === before) return record
    if (before !== undefined && bytes[start] === HASH_HEAD) this.#collect.replace?.(before)
    if (child.hasHash) this.#collect.add(child)
    return withChild(record, { start, end, link }, child)
  }

  /** Version of #put for extensions and for nodes that change their kind. */
  #putInto(record: NodeRecord, depth: number, index: number): NodeRecord {
    const node = decodeNode(record)
    const updated = this.#updateNode(node, depth, { from: index, to: index + 1 })
    return updated === node ? record : encoded(updated as Child, this.#collect)
  }

  /** Replaces children of a stored branch, for changes whose keys do not end here. */
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

  /** Handles a stored branch that has lost children and may no longer be a branch. */
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
    const { path, value, link } = leaf
    const entries = this.#puts(span)
    const change = this.#find(span, (key) => endsWith(key, depth, path))
    if (change === undefined) {
      if (entries.length === 0) return leaf
      entries.push({ key: this.#keyOf(path, depth, span), value, link })
      entries.sort((a, b) => Buffer.compare(a.key, b.key))
    } else if (entries.length === 1 && change.value !== undefined && bytesEqual(change.value, value)) {
      return leaf
    }
    for (const entry of entries) {
      if (entry.key === change?.key) entry.link ??= linkAfter(leaf, entry.value)
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
    // The path splits: what was below it becomes one child of a new branch.
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
    for (const { key, value, link } of this.#changes.slice(from, to)) {
      if (value !== undefined) entries.push({ key, value, link })
    }
    return entries
  }

  #find({ from, to }: Span, matches: (key: Uint8Array) => boolean): TrieChange | undefined {
    for (let i = from; i < to; i++) {
      if (matches(this.#key(i))) return this.#changes[i]
    }
    return undefined
  }

  /** Returns the whole key of a leaf, taking the part above it from a change that leads there. */
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
    return this.#changes[index]?.key ?? NO_BYTES
  }
}
