import { keccak256 } from '../../../src/chain/crypto.js'
import { EMPTY_TRIE_ROOT, type NodeRecord } from '../../../src/chain/state/nodeRecord.js'
import {
  type Child,
  type NodeReader,
  Reference,
  decodeNode,
  nodeBehind,
  readTrie,
} from '../../../src/chain/state/trieNode.js'
import { updateTrie } from '../../../src/chain/state/updateTrie.js'
import { bytesEqual, bytesToHex, bytesToPlainHex, hexToBytes } from '../../../src/encoding/hex.js'
import { type Outcome, expectSame, outcomeOf, readVectors } from './vectors.js'

type Pair = readonly [key: string, value: string | null]

interface TrieTest {
  in: Pair[] | Record<string, string | null>
  root: string
}

interface NeighbourTest {
  in: string[]
  tests: [key: string, before: string, after: string][]
}

/** In-memory trie, written and read with the code under test. */
class MemoryTrie implements NodeReader {
  root = EMPTY_TRIE_ROOT
  readonly #roots = new Map<string, NodeRecord>()

  getRoot(hash: Uint8Array): NodeRecord {
    const root = this.#roots.get(bytesToPlainHex(hash))
    if (root === undefined) throw new Error(`there is no root ${bytesToHex(hash)}`)
    return root
  }

  getNode(): never {
    throw new Error('nothing is stored')
  }

  put(key: Uint8Array, value: Uint8Array | undefined): void {
    this.root = updateTrie(this, this.root, [{ key, value }], {
      add: () => undefined,
      addRoot: (hash, record) => this.#roots.set(bytesToPlainHex(hash), record),
    })
  }

  /** Walks the nodes and returns every key in order. */
  keys(): string[] {
    return this.root === EMPTY_TRIE_ROOT ? [] : this.#keysBelow(this.getRoot(this.root), '')
  }

  #keysBelow(record: NodeRecord, path: string): string[] {
    const node = decodeNode(record)
    const child = (reference: Child | undefined, further: string): string[] =>
      reference instanceof Reference ? this.#keysBelow(nodeBehind(this, reference), further) : []
    if (node.kind === 'branch') {
      const here = node.value === undefined ? [] : [path]
      return [...here, ...node.children.flatMap((next, nibble) => child(next, path + nibble.toString(16)))]
    }
    const further = path + [...node.path].map((nibble) => nibble.toString(16)).join('')
    return node.kind === 'leaf' ? [further] : child(node.child, further)
  }
}

function bytesOf(text: string): Uint8Array {
  return text.startsWith('0x') ? hexToBytes(text) : new TextEncoder().encode(text)
}

/** Runs a file of trie vectors; its name says whether keys are hashed and whether entries may come in any order. */
export async function* runTrieTests(path: string): AsyncGenerator<Outcome> {
  if (path.endsWith('nextprev.json')) {
    for (const [name, test] of readVectors<NeighbourTest>(path)) {
      yield await outcomeOf(name, () => runNeighbours(test))
    }
    return
  }
  const isSecure = /secure/i.test(path)
  for (const [name, test] of readVectors<TrieTest>(path)) {
    const pairs: readonly Pair[] = Array.isArray(test.in) ? test.in : Object.entries(test.in)
    yield await outcomeOf(name, () => runRoot(pairs, test.root, isSecure))
    if (!Array.isArray(test.in)) {
      yield await outcomeOf(`${name}, backwards`, () => runRoot(pairs.toReversed(), test.root, isSecure))
    }
  }
}

function runRoot(pairs: readonly Pair[], root: string, isSecure: boolean): void {
  const trie = new MemoryTrie()
  const keyOf = (text: string): Uint8Array => (isSecure ? keccak256(bytesOf(text)) : bytesOf(text))
  for (const [key, value] of pairs) {
    trie.put(keyOf(key), value === null || value === '' ? undefined : bytesOf(value))
  }
  expectSame('root', bytesToHex(trie.root), root)
  for (const [key, value] of new Map(pairs)) {
    const stored = readTrie(trie, trie.root, keyOf(key))
    const expected = value === null || value === '' ? undefined : bytesOf(value)
    if (
      stored === undefined || expected === undefined ? stored !== expected : !bytesEqual(stored, expected)
    ) {
      throw new Error(`${key}: expected ${value}, got ${stored && bytesToHex(stored)}`)
    }
  }
}

function runNeighbours({ in: keys, tests }: NeighbourTest): void {
  const trie = new MemoryTrie()
  for (const key of keys) trie.put(bytesOf(key), bytesOf(key))
  const stored = trie.keys().map((hex) => new TextDecoder().decode(hexToBytes(hex)))
  for (const [key, before, after] of tests) {
    expectSame(`before ${key}`, stored.filter((other) => other < key).at(-1) ?? '', before)
    expectSame(`after ${key}`, stored.find((other) => other > key) ?? '', after)
  }
}
