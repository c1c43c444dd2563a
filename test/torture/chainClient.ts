import { keccak256 as keccakOf } from 'ethers'
import { expect } from 'vitest'
import { callRpc } from '../support/rpc.js'
import { verifyMerkleProof } from '../support/merkleProof.js'
import type { Hex } from './requests.js'

interface BlockFacts {
  hash: Hex
  number: Hex
  parentHash: Hex
  stateRoot: Hex
}

/** A snapshot that the node acknowledged. */
interface Snapshot {
  id: Hex
  /** Hashes of the canonical chain by number, and balances set by controls. */
  blocks: Hex[]
  balances: Map<Hex, bigint>
}

/** Emits one log per call: PUSH1 2a PUSH0 PUSH0 LOG1 STOP. */
const LOGGER_CODE = '0x602a5f5fa100'
const LOGGER = `0x${'1'.repeat(40)}` as const
/** Emits one log of 1,440,000 bytes per call, so that its block is written ahead: PUSH3 15f900 PUSH0 LOG0 STOP. */
const LARGE_LOGGER_CODE = '0x6215f9005fa000'
const LARGE_LOGGER = `0x${'2'.repeat(40)}` as const
/** Share of operations that emit such a log; each takes four megabytes of disk. */
const LARGE_SHARE = 0.02
/** Hashes no bytes, and calls the precompile whose number is the first byte of its data without data. */
const EMPTY_INPUTS_CODE = '0x5f5f20505f5f5f5f5f355f1a5afa00'

/**
 * A client that drives the chain, one request at a time, and tracks what the node must show after each. Everything the
 * node has acknowledged must survive a kill; the interrupted request may have taken effect or not.
 */
export class ChainClient {
  readonly #random: () => number
  /** The hashes of the canonical chain by number. */
  #blocks: Hex[] = []
  #balances = new Map<Hex, bigint>()
  #snapshots: Snapshot[] = []
  /** The current operation, whose outcome is unknown if the node is killed. */
  #current: string | undefined
  #revertedTo: Snapshot | undefined
  /** Number of acknowledged operations by kind. */
  readonly acknowledged: Record<string, number> = {}

  constructor(random: () => number) {
    this.#random = random
  }

  /** Prepares a new chain. */
  async begin(url: string): Promise<void> {
    await callRpc(url, 'anvil_setCode', [LOGGER, LOGGER_CODE])
    await callRpc(url, 'anvil_setCode', [LARGE_LOGGER, LARGE_LOGGER_CODE])
    await callRpc(url, 'evm_mine', [])
    await this.#readChain(url)
  }

  /** Runs one random operation and records its changes. @throws the connection's error at a kill */
  async step(url: string): Promise<void> {
    const operations: Record<string, () => Promise<void>> = {
      call: () => this.#call(url),
      mine: () => this.#mine(url),
      send: () => this.#send(url, LOGGER, '0x186a0'),
      sendLarge: () => this.#send(url, LARGE_LOGGER, '0xf42400'),
      setBalance: () => this.#setBalance(url),
      snapshot: () => this.#snapshot(url),
      revert: () => this.#revert(url),
      reorg: () => this.#reorganise(url),
    }
    const weighted = [
      'call',
      'mine',
      'send',
      'send',
      'send',
      'setBalance',
      'snapshot',
      'snapshot',
      'reorg',
      'revert',
    ]
    const isLarge = this.#random() < LARGE_SHARE
    const kind = isLarge ? 'sendLarge' : weighted[Math.floor(this.#random() * weighted.length)]!
    this.#current = kind
    await operations[kind]?.()
    this.#current = undefined
    this.#revertedTo = undefined
    this.acknowledged[kind] = (this.acknowledged[kind] ?? 0) + 1
  }

  /**
   * Compares the node with its acknowledgements. After a kill, the interrupted operation may have taken effect or not.
   */
  async check(url: string): Promise<void> {
    const head = await block(url, 'latest')
    const expected = this.#blocks.at(-1)
    if (this.#current === undefined) expect(head.hash, 'the head').toBe(expected)
    else await this.#checkInterrupted(url, head)
    await this.#readChain(url)
    await this.#checkBalances(url)
    this.#current = undefined
    await checkLogs(url, this.#blocks.length - 1)
    await this.#checkSnapshots(url)
    // A newly mined block still has the state of its header; controls change the state of the head later.
    await callRpc(url, 'evm_mine', [])
    await this.#readChain(url)
    await checkProof(url, await block(url, 'latest'))
  }

  /** Reverts to the oldest snapshot, which must succeed. */
  async revertToOldest(url: string): Promise<void> {
    const [oldest] = this.#snapshots
    if (oldest === undefined) return
    await this.#revertTo(url, oldest)
    this.#revertedTo = undefined
    this.acknowledged.revert = (this.acknowledged.revert ?? 0) + 1
  }

  /** Reverts to all remaining snapshots, newest first; each must succeed. */
  async revertToAll(url: string): Promise<void> {
    for (const snapshot of [...this.#snapshots].reverse()) {
      await this.#revertTo(url, snapshot)
      await this.#checkBalances(url)
      this.acknowledged.revert = (this.acknowledged.revert ?? 0) + 1
    }
    this.#revertedTo = undefined
  }

  /** Runs native code on no bytes, which must not affect what is stored later. */
  async #call(url: string): Promise<void> {
    const precompile = 1 + Math.floor(this.#random() * 17)
    const data = `0x${precompile.toString(16).padStart(2, '0')}`
    const overrides = { [LOGGER]: { code: EMPTY_INPUTS_CODE } }
    await callRpc(url, 'eth_call', [{ to: LOGGER, data }, 'latest', overrides])
  }

  async #mine(url: string): Promise<void> {
    await callRpc(url, 'anvil_mine', [`0x${(1 + Math.floor(this.#random() * 5)).toString(16)}`])
    await this.#readChain(url)
  }

  async #send(url: string, to: Hex, gas: Hex): Promise<void> {
    const [from] = await callRpc<Hex[]>(url, 'eth_accounts', [])
    const hash = await callRpc<Hex>(url, 'eth_sendTransaction', [{ from, to, gas }])
    const receipt = await callRpc<{ blockHash: Hex } | null>(url, 'eth_getTransactionReceipt', [hash])
    expect(receipt, `receipt of ${hash}`).not.toBeNull()
    await this.#readChain(url)
    expect(this.#blocks).toContain(receipt?.blockHash)
  }

  async #setBalance(url: string): Promise<void> {
    const address = `0x${Math.floor(this.#random() * 20)
      .toString(16)
      .padStart(40, 'e')}` as const
    const balance = BigInt(Math.floor(this.#random() * 1e12))
    // Unknown while the request is in flight, because a kill may leave either value.
    const before = this.#balances.get(address)
    this.#balances.delete(address)
    await callRpc(url, 'anvil_setBalance', [address, `0x${balance.toString(16)}`])
    this.#balances.set(address, balance)
    expect(before === undefined || before >= 0n).toBe(true)
  }

  async #snapshot(url: string): Promise<void> {
    const id = await callRpc<Hex>(url, 'evm_snapshot', [])
    this.#snapshots.push({ id, blocks: [...this.#blocks], balances: new Map(this.#balances) })
  }

  async #revert(url: string): Promise<void> {
    const snapshot = this.#snapshots[Math.floor(this.#random() * this.#snapshots.length)]
    if (snapshot !== undefined) await this.#revertTo(url, snapshot)
  }

  async #revertTo(url: string, snapshot: Snapshot): Promise<void> {
    this.#revertedTo = snapshot
    const isReverted = await callRpc<boolean>(url, 'evm_revert', [snapshot.id])
    expect(isReverted, `snapshot ${snapshot.id} was acknowledged`).toBe(true)
    this.#restore(snapshot)
    const head = await block(url, 'latest')
    expect(head.hash, `the head after reverting to ${snapshot.id}`).toBe(snapshot.blocks.at(-1))
  }

  #restore(snapshot: Snapshot): void {
    this.#snapshots = this.#snapshots.slice(0, this.#snapshots.indexOf(snapshot))
    this.#blocks = [...snapshot.blocks]
    this.#balances = new Map(snapshot.balances)
  }

  async #reorganise(url: string): Promise<void> {
    const depth = 1 + Math.floor(this.#random() * 3)
    if (this.#blocks.length <= depth + 1) return
    // Changes by controls on removed blocks are gone with them.
    this.#balances.clear()
    await callRpc(url, 'anvil_reorg', [depth, []])
    this.#blocks.length -= depth
    await this.#readChain(url)
  }

  async #checkInterrupted(url: string, head: BlockFacts): Promise<void> {
    const revertedTo = this.#revertedTo
    if (this.#current === 'revert' && revertedTo !== undefined) {
      const isUsed = !(await this.#listed(url)).includes(BigInt(revertedTo.id))
      if (isUsed) this.#restore(revertedTo)
      expect(head.hash, 'the head after an interrupted revert').toBe(this.#blocks.at(-1))
      return
    }
    if (this.#current === 'snapshot') {
      expect(head.hash, 'the head after an interrupted snapshot').toBe(this.#blocks.at(-1))
      return
    }
    const longestReorganisation = this.#current === 'reorg' ? 3 : 0
    const base = Math.min(Number(head.number), this.#blocks.length - 1) - longestReorganisation
    expect(Number(head.number)).toBeGreaterThanOrEqual(this.#blocks.length - 1 - longestReorganisation)
    const unaffected = await block(url, `0x${Math.max(0, base).toString(16)}`)
    expect(unaffected.hash, `a block below an interrupted ${this.#current}`).toBe(
      this.#blocks[Math.max(0, base)],
    )
    this.#blocks.length = Math.max(0, base) + 1
  }

  async #listed(url: string): Promise<bigint[]> {
    const { snapshots } = await callRpc<{ snapshots: Record<Hex, unknown> }>(url, 'anvil_metadata', [])
    return Object.keys(snapshots).map(BigInt)
  }

  async #checkSnapshots(url: string): Promise<void> {
    const listed = await this.#listed(url)
    for (const { id } of this.#snapshots) expect(listed, `snapshot ${id}`).toContain(BigInt(id))
  }

  async #checkBalances(url: string): Promise<void> {
    for (const [address, balance] of this.#balances) {
      const found = await callRpc<Hex>(url, 'eth_getBalance', [address, 'latest'])
      expect(BigInt(found), `balance of ${address}`).toBe(balance)
    }
  }

  /** Reads the blocks above the known ones up to the head. */
  async #readChain(url: string): Promise<void> {
    const head = await block(url, 'latest')
    for (let number = this.#blocks.length; number <= Number(head.number); number++) {
      const { hash, parentHash } = await block(url, `0x${number.toString(16)}`)
      if (number > 0) expect(parentHash, `the parent of block ${number}`).toBe(this.#blocks[number - 1])
      this.#blocks.push(hash)
    }
    expect(head.hash).toBe(this.#blocks.at(-1))
  }
}

async function block(url: string, selector: string): Promise<BlockFacts> {
  const found = await callRpc<BlockFacts | null>(url, 'eth_getBlockByNumber', [selector, false])
  if (found === null) throw new Error(`block ${selector} is missing`)
  return found
}

/** Checks that eth_getLogs, which uses the log index, finds exactly the logs in the receipts of the newest blocks. */
async function checkLogs(url: string, head: number): Promise<void> {
  const from = Math.max(0, head - 30)
  const fromReceipts: unknown[] = []
  for (let number = from; number <= head; number++) {
    const receipts = await callRpc<{ logs: unknown[] }[]>(url, 'eth_getBlockReceipts', [
      `0x${number.toString(16)}`,
    ])
    fromReceipts.push(...receipts.flatMap(({ logs }) => logs))
  }
  const filter = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${head.toString(16)}` }
  expect(await callRpc(url, 'eth_getLogs', [filter])).toEqual(fromReceipts)
}

/** Checks the proof of an account against the state root of a block. */
async function checkProof(url: string, { hash, stateRoot }: BlockFacts): Promise<void> {
  const proof = await callRpc<{ accountProof: Hex[] }>(url, 'eth_getProof', [LOGGER, [], { blockHash: hash }])
  expect(verifyMerkleProof(stateRoot, keccakOf(LOGGER), proof.accountProof)).toBeDefined()
}
