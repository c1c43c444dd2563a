import { MerklePatriciaTrie, createMPT, createMerkleProof, verifyMerkleProof } from '@ethereumjs/mpt'
import { MapDB } from '@ethereumjs/util'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bytesToHex, bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { keccak256 } from '../crypto.js'
import { EMPTY_TRIE_ROOT, type NodeNumber, type NodeRecord, storedNode } from './nodeRecord.js'
import type { TrieRoot } from './stateRoot.js'
import { MissingNodeError, type NodeReader, proveKey, readTrie } from './trieNode.js'
import { type TrieChange, updateTrie } from './updateTrie.js'

/** Stored tries, read only from what was written; plus nodes by hash for @ethereumjs/mpt. */
class StoredTries implements NodeReader {
  readonly byHash = new MapDB<string, string>()
  readonly #rows: Uint8Array[] = []
  readonly #roots = new Map<string, NodeNumber>()

  getRoot(hash: Uint8Array): NodeRecord {
    const number = this.#roots.get(bytesToPlainHex(hash))
    if (number === undefined) throw new MissingNodeError(hash)
    return this.getNode(number)
  }

  getNode(number: NodeNumber): NodeRecord {
    const row = this.#rows[number]
    if (row === undefined) throw new Error(`no node has the number ${number}`)
    return storedNode(row, number)
  }

  update(root: Uint8Array, changes: TrieChange[], replace?: (record: NodeRecord) => void): Uint8Array {
    const made: NodeRecord[] = []
    const roots: TrieRoot[] = []
    const updated = updateTrie(this, root, sorted(changes), {
      add: (record) => made.push(record),
      addRoot: (hash, record) => roots.push({ hash, record }),
      ...(replace && { replace }),
    })
    for (const record of made) {
      record.assign(this.#rows.length)
      this.#rows.push(record.bytes.slice())
    }
    for (const record of made) record.settle()
    for (const { hash, record } of roots) this.#roots.set(bytesToPlainHex(hash), record.assignedNumber)
    for (const { rlp } of made) {
      this.byHash._database.set(bytesToPlainHex(keccak256(rlp)), bytesToPlainHex(rlp))
    }
    return updated
  }
}

const sorted = (changes: TrieChange[]) => changes.toSorted((a, b) => Buffer.compare(a.key, b.key))

/** Pseudorandom numbers below a bound, the same in every run. */
const randomOf = (seed: number) => (bound: number) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return Math.floor((seed / 2 ** 32) * bound)
}

/** Two hundred values with uniformly distributed keys. */
function hashedEntries(): TrieChange[] {
  return sorted(
    Array.from({ length: 200 }, (_, i) => ({
      key: keccak256(Uint8Array.of(i)),
      value: new Uint8Array(40).fill(i + 1),
    })),
  )
}

describe('against @ethereumjs/mpt', () => {
  // Few bytes per key produce shared paths, splits and embedded nodes; long values produce hashed ones.
  it.each([
    { name: 'dense keys of 2 bytes, short values', keyBytes: 2, alphabet: 6, valueBytes: 3, rounds: 400 },
    {
      name: 'dense keys of 4 bytes, values of every length',
      keyBytes: 4,
      alphabet: 3,
      valueBytes: 70,
      rounds: 400,
    },
    { name: 'hashed keys', keyBytes: 32, alphabet: 256, valueBytes: 100, rounds: 150 },
    { name: 'hashed keys, short values', keyBytes: 32, alphabet: 256, valueBytes: 2, rounds: 150 },
  ])('$name: roots, reads and proofs are equal over random batches', async (setup) => {
    const random = randomOf(setup.keyBytes * 31 + setup.valueBytes)
    const nodes = new StoredTries()
    const oracle = new MerklePatriciaTrie({ useRootPersistence: false })
    const live = new Map<string, Uint8Array>()
    const known: Uint8Array[] = []
    let root: Uint8Array = EMPTY_TRIE_ROOT
    for (let round = 0; round < setup.rounds; round++) {
      const changes = new Map<string, TrieChange>()
      for (let i = 1 + random(random(4) === 0 ? 40 : 5); i > 0; i--) {
        const reuse = known.length > 0 && random(2) === 0
        const key = reuse
          ? (known[random(known.length)] as Uint8Array)
          : Uint8Array.from(
              { length: setup.keyBytes },
              () => random(setup.alphabet) * Math.floor(256 / setup.alphabet),
            )
        known.push(key)
        const value =
          random(5) < (live.size > 60 ? 3 : 1)
            ? undefined
            : Uint8Array.from({ length: 1 + random(setup.valueBytes) }, () => 1 + random(255))
        changes.set(bytesToHex(key), { key, value })
      }
      for (const { key, value } of changes.values()) {
        if (value === undefined) {
          live.delete(bytesToHex(key))
          await oracle.del(key)
        } else {
          live.set(bytesToHex(key), value)
          await oracle.put(key, value)
        }
      }
      root = nodes.update(root, [...changes.values()])
      expect(bytesToHex(root)).toBe(bytesToHex(oracle.root()))
      const probe = known[random(known.length)] as Uint8Array
      const { found, proof } = proveKey(nodes, { hash: root }, probe)
      expect(found && bytesToHex(found.value)).toBe(
        live.get(bytesToHex(probe)) && bytesToHex(live.get(bytesToHex(probe)) as Uint8Array),
      )
      if (live.size > 0) {
        const verified = await verifyMerkleProof(probe, proof, { root })
        expect(verified ?? undefined).toEqual(found && Uint8Array.from(found.value))
      }
    }
    const reader = await createMPT({ db: nodes.byHash, root, useRootPersistence: false })
    for (const [key, value] of live) {
      expect(await reader.get(hexToBytes(key))).toEqual(value)
      const listed = proveKey(nodes, { hash: root }, hexToBytes(key)).proof.map(bytesToHex)
      const all = (await createMerkleProof(reader, hexToBytes(key))).map(bytesToHex)
      expect(listed).toEqual(all.filter((rlp, i) => i === 0 || rlp.length >= 2 + 64))
    }
    expect(
      nodes.update(
        root,
        [...live.keys()].map((key) => ({ key: hexToBytes(key), value: undefined })),
      ),
    ).toEqual(EMPTY_TRIE_ROOT)
  })

  it('creates no node for changes without effect', () => {
    const nodes = new StoredTries()
    const entries = hashedEntries()
    const root = nodes.update(EMPTY_TRIE_ROOT, entries)
    const absent = { key: keccak256(Uint8Array.of(7, 7)), value: undefined }
    const refuse = () => {
      throw new Error('no node is another one')
    }
    const same = updateTrie(nodes, root, sorted([...entries, absent]), {
      add: refuse,
      addRoot: refuse,
      replace: refuse,
    })
    expect(same).toEqual(root)
  })

  it('reports exactly the replaced nodes on the path to a change', () => {
    const nodes = new StoredTries()
    const entries = hashedEntries()
    const root = nodes.update(EMPTY_TRIE_ROOT, entries)
    const { key } = entries[77] as TrieChange
    const pathHashes = proveKey(nodes, { hash: root }, key).proof.map((rlp) => bytesToHex(keccak256(rlp)))
    const replaced: string[] = []
    nodes.update(root, [{ key, value: new Uint8Array(40) }], ({ rlp }) =>
      replaced.push(bytesToHex(keccak256(rlp))),
    )
    expect(replaced.toReversed()).toEqual(pathHashes)
  })

  it('creates no unreachable node when values are removed and their neighbours change', () => {
    const nodes = new StoredTries()
    const entries = hashedEntries()
    const root = nodes.update(EMPTY_TRIE_ROOT, entries)
    // Many neighbours in key order share a branch; every third one is removed.
    const changes = entries.map(({ key, value }, i) =>
      i % 3 === 0 ? { key, value: undefined } : { key, value: value?.map((byte) => byte ^ 0xff) },
    )
    const made: string[] = []
    let updated = ''
    updateTrie(nodes, root, changes, {
      add: ({ rlp }) => made.push(bytesToPlainHex(rlp)),
      addRoot: (hash) => (updated = bytesToPlainHex(hash)),
    })
    const hashes = made.map((rlp) => bytesToPlainHex(keccak256(hexToBytes(rlp))))
    const orphans = hashes.filter((hash) => hash !== updated && !made.some((rlp) => rlp.includes(hash)))
    expect(made.length).toBeGreaterThan(100)
    expect(orphans).toEqual([])
  })

  it('names the missing node', () => {
    const unknown = new Uint8Array(32).fill(9)
    expect(() => readTrie(new StoredTries(), unknown, new Uint8Array(32))).toThrow(MissingNodeError)
  })
})

const directory = join(
  process.env['STANDIN_CONFORMANCE'] ?? '../shared/conformance',
  'ethereum-tests/TrieTests',
)

type TrieCase = { in: [string, string | null][] | Record<string, string | null>; root: string }

describe.skipIf(!existsSync(directory))(`public trie tests (skipped where ${directory} is absent)`, () => {
  const toBytes = (value: string) =>
    value.startsWith('0x') ? hexToBytes(value) : new TextEncoder().encode(value)
  it.each([
    { file: 'trietest.json', hashed: false },
    { file: 'trieanyorder.json', hashed: false },
    { file: 'trietest_secureTrie.json', hashed: true },
    { file: 'trieanyorder_secureTrie.json', hashed: true },
    { file: 'hex_encoded_securetrie_test.json', hashed: true },
  ])('$file', ({ file, hashed }) => {
    const cases = JSON.parse(readFileSync(join(directory, file), 'utf8')) as Record<string, TrieCase>
    for (const { in: input, root } of Object.values(cases)) {
      const pairs = Array.isArray(input) ? input : Object.entries(input)
      const changes = pairs.map(([key, value]) => ({
        key: hashed ? keccak256(toBytes(key)) : toBytes(key),
        value: value === null ? undefined : toBytes(value),
      }))
      const nodes = new StoredTries()
      const oneByOne = changes.reduce((before, change) => nodes.update(before, [change]), EMPTY_TRIE_ROOT)
      expect(bytesToHex(oneByOne)).toBe(root)
      const last = new Map(changes.map((change) => [bytesToHex(change.key), change]))
      expect(bytesToHex(nodes.update(EMPTY_TRIE_ROOT, [...last.values()]))).toBe(root)
    }
  })
})
