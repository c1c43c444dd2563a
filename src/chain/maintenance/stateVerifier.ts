import { BranchMPTNode, LeafMPTNode, MerklePatriciaTrie, decodeRawMPTNode } from '@ethereumjs/mpt'
import { ValueEncoding } from '@ethereumjs/util'
import { errorText } from '../../encoding/errorText.js'
import { bytesEqual, bytesToHex, bytesToPlainHex } from '../../encoding/hex.js'
import { ABSENT_ACCOUNT } from '../fork/overlay.js'
import { keccak256 } from '../crypto.js'
import { EMPTY_CODE_HASH, decodeAccount, encodeAccount } from '../state/account.js'
import { EMPTY_TRIE_ROOT, type NodeLink, type NodeNumber, NodeSet } from '../state/nodeRecord.js'
import type { StateStore } from '../state/stateStore.js'
import { NodeHashError, TrieDatabase } from '../state/trieDatabase.js'
import { follow, storageLink } from '../state/trieNode.js'

/** A problem with a state. */
export interface StateProblem {
  /** 32 bytes. */
  stateRoot: Uint8Array
  /** Description of what refers to the state. */
  of: string
  /**
   * `/` and the nibbles of the hashed address in hexadecimal; for a slot, followed by `/` and those of its hashed key.
   */
  path: string
  problem: string
}

/** Options for a state verifier. */
export interface StateVerifierOptions {
  states: StateStore
  /** Whether tries hold only differences from a remote state: marks of absence, and accounts whose code is remote. */
  isFork: boolean
  report: (problem: StateProblem) => void
}

/** The trie being walked. */
interface Walk {
  stateRoot: Uint8Array
  of: string
  /** Path of the account whose storage is walked; empty in the state trie. */
  account: string
}

/** A node yet to be read. */
interface Pending {
  hash: Uint8Array
  number: NodeNumber
  /** Nibbles in hexadecimal. */
  path: string
}

/**
 * Walks states with the `MerklePatriciaTrie` of @ethereumjs/mpt, down to every account, slot and code. Walks what
 * several states share only once.
 */
export class StateVerifier {
  readonly #options: StateVerifierOptions
  readonly #nodes: TrieDatabase
  readonly #trie: MerklePatriciaTrie
  readonly #visited = new NodeSet()
  readonly #codes = new Set<string>()
  /** Number of nodes read. */
  nodes = 0

  constructor(options: StateVerifierOptions) {
    this.#options = options
    this.#nodes = new TrieDatabase(options.states)
    this.#trie = new MerklePatriciaTrie({ db: this.#nodes, valueEncoding: ValueEncoding.Bytes })
  }

  /** Number of codes read. */
  get codes(): number {
    return this.#codes.size
  }

  /** Walks the state under a root. */
  async walk(stateRoot: Uint8Array, of: string): Promise<void> {
    await this.#walkTrie(stateRoot, { stateRoot, of, account: '' })
  }

  /** Checks that a link to a root leads to its node. */
  checkLink(root: Uint8Array, link: NodeLink, of: string): void {
    this.#checkLink(root, link, { stateRoot: root, of, account: '' })
  }

  #checkLink(root: Uint8Array, link: NodeLink, walk: Walk): void {
    try {
      const hash = keccak256(follow(this.#options.states, link).rlp)
      if (!bytesEqual(hash, root)) throw new NodeHashError(bytesToPlainHex(root), bytesToPlainHex(hash))
    } catch (error) {
      this.#report(walk, '', `link to root ${bytesToHex(root)}: ${errorText(error)}`)
    }
  }

  async #walkTrie(root: Uint8Array, walk: Walk): Promise<void> {
    if (bytesEqual(root, EMPTY_TRIE_ROOT)) return
    const pending: Pending[] = []
    try {
      const { number = 0, rlp } = this.#options.states.getRoot(root)
      // Checked here, too: a row that points into another trie may lead to a node already visited.
      const hash = keccak256(rlp)
      if (!bytesEqual(hash, root)) throw new NodeHashError(bytesToPlainHex(root), bytesToPlainHex(hash))
      this.#enqueue(pending, root, number, '')
    } catch (error) {
      this.#report(walk, '', `no root ${bytesToHex(root)}: ${errorText(error)}`)
    }
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { hash, number, path } = next
      this.#nodes.numbers.clear()
      this.#nodes.numbers.set(bytesToPlainHex(hash), number)
      try {
        const node = await this.#trie.lookupNode(hash)
        this.nodes++
        await this.#visit(node, path, {
          walk,
          pending,
          link: storageLink(this.#options.states.getNode(number)),
        })
      } catch (error) {
        this.#report(walk, path, errorText(error))
      }
    }
  }

  #enqueue(pending: Pending[], hash: Uint8Array, number: NodeNumber, path: string): void {
    if (this.#visited.has(number)) return
    this.#visited.add(number)
    pending.push({ hash, number, path })
  }

  async #visit(
    node: Awaited<ReturnType<MerklePatriciaTrie['lookupNode']>>,
    path: string,
    { walk, pending, link }: { walk: Walk; pending: Pending[]; link?: NodeLink | undefined },
  ): Promise<void> {
    if (node instanceof LeafMPTNode)
      return this.#visitValue(node.value(), path + digits(node.key()), walk, link)
    const children: [path: string, child: unknown][] =
      node instanceof BranchMPTNode
        ? node.getChildren().map(([digit, child]) => [path + digit.toString(16), child])
        : [[path + digits(node.key()), node.value()]]
    for (const [childPath, child] of children) {
      if (!(child instanceof Uint8Array)) {
        await this.#visit(decodeRawMPTNode(child as Uint8Array[]), childPath, { walk, pending })
        continue
      }
      const number = this.#nodes.numbers.get(bytesToPlainHex(child))
      if (number === undefined) throw new Error(`no link to the node with hash ${bytesToHex(child)}`)
      this.#enqueue(pending, child, number, childPath)
    }
  }

  async #visitValue(
    value: Uint8Array | null,
    path: string,
    walk: Walk,
    link: NodeLink | undefined,
  ): Promise<void> {
    if (path.length !== 64) throw new Error(`the path of a value has ${path.length} digits instead of 64`)
    if (value === null) throw new Error('a leaf has no value')
    if (walk.account !== '' || (this.#options.isFork && bytesEqual(value, ABSENT_ACCOUNT))) return
    const { storageRoot, codeHash } = decodeAccount(value)
    if (!bytesEqual(encodeAccount(decodeAccount(value), storageRoot), value)) {
      throw new Error('the value is not an account')
    }
    this.#checkCode(codeHash, path, walk)
    if (link !== undefined) this.#checkLink(storageRoot, link, { ...walk, account: path })
    await this.#walkTrie(storageRoot, { ...walk, account: path })
  }

  #checkCode(hash: Uint8Array, path: string, walk: Walk): void {
    const name = bytesToPlainHex(hash)
    if (bytesEqual(hash, EMPTY_CODE_HASH) || this.#codes.has(name)) return
    const code = this.#options.states.getCode(hash)
    if (code === undefined && this.#options.isFork) return
    this.#codes.add(name)
    if (code === undefined) this.#report(walk, path, `no code with hash 0x${name}`)
    else if (!bytesEqual(keccak256(code), hash)) {
      this.#report(walk, path, `the code with the hash 0x${name} has the hash ${bytesToHex(keccak256(code))}`)
    }
  }

  #report({ stateRoot, of, account }: Walk, path: string, problem: string): void {
    const full = account === '' ? `/${path}` : `/${account}/${path}`
    this.#options.report({ stateRoot, of, path: full, problem })
  }
}

function digits(nibbles: readonly number[]): string {
  return nibbles.map((nibble) => nibble.toString(16)).join('')
}
