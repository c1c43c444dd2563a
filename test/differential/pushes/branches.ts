import { createHash } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import type { Hex, TransactionSerializable } from 'viem'
import type { StandinNode } from '../../../src/index.js'
import { type ChainFacts, signers } from '../geth/chain.js'
import { Programs } from '../geth/programs.js'
import type { Random } from '../support/random.js'

/** A block in both forms: RLP for this node, and a payload for geth's engine API. */
export interface MadeBlock {
  hash: string
  /** The block's RLP in hex. */
  raw: string
  /** The parameters of engine_newPayloadV4. */
  payload: readonly unknown[]
}

interface FullBlock extends Record<string, unknown> {
  hash: string
  requestsHash?: string
  transactions: { hash: string; blobVersionedHashes?: string[] }[]
}

const GWEI = 10n ** 9n
/** The requestsHash of a block without requests (EIP-7685). */
const noRequests = `0x${createHash('sha256').digest('hex')}`
/** The point at infinity: the KZG proof of every blob whose field elements are all equal (EIP-4844). */
const proof: Hex = `0xc0${'00'.repeat(47)}`

/** Makes a blob that repeats one field element, with its commitment and versioned hash. */
function constantBlob(element: number): { blob: Hex; commitment: Hex; versionedHash: Hex } {
  const point = bls12_381.G1.Point.BASE.multiply(BigInt(element)).toBytes(true)
  const digest = createHash('sha256').update(point).digest('hex')
  return {
    blob: `0x${element.toString(16).padStart(64, '0').repeat(4096)}`,
    commitment: `0x${Buffer.from(point).toString('hex')}`,
    versionedHash: `0x01${digest.slice(2)}`,
  }
}

/** Makes blocks on a separate node, and rolls some of them back to make competing branches. */
export class Branches {
  readonly #node: StandinNode
  readonly #random: Random
  readonly #facts: ChainFacts
  readonly #programs: Programs
  #blobs = 0

  constructor(node: StandinNode, random: Random, facts: ChainFacts) {
    this.#node = node
    this.#random = random
    this.#facts = facts
    this.#programs = new Programs(random, [...facts.accounts, ...facts.contracts])
  }

  /**
   * Removes blocks from the head and mines others.
   *
   * @param announce - receives the raw transactions that the compared nodes see before the block
   */
  async grow(
    { removed, added }: { removed: number; added: number },
    announce: (raw: Hex) => Promise<void>,
  ): Promise<MadeBlock[]> {
    const random = this.#random
    if (removed > 0) await this.#node.request('anvil_rollback', [`0x${removed.toString(16)}`])
    const blocks: MadeBlock[] = []
    while (blocks.length < added) {
      for (let count = random.below(5); count > 0; count--) {
        const raw = await this.#transaction()
        await this.#node.request('eth_sendRawTransaction', [raw])
        if (random.chance(0.5)) await announce(raw)
      }
      await this.#mine(blocks)
    }
    return blocks
  }

  async #mine(blocks: MadeBlock[]): Promise<void> {
    // Ensures that blocks of two branches differ.
    await this.#node.request('evm_increaseTime', [1 + this.#random.below(1000)])
    await this.#node.request('evm_mine')
    blocks.push(await this.#export())
  }

  async #transaction(): Promise<Hex> {
    const random = this.#random
    const { chainId, contracts, accounts } = this.#facts
    // geth's pools refuse blob and other pending transactions of the same account.
    const hasBlob = random.chance(0.1)
    const signer = hasBlob ? random.pick(signers.slice(6, 8)) : random.pick(signers.slice(0, 6))
    const nonce = Number(await this.#node.request('eth_getTransactionCount', [signer.address, 'pending']))
    const fees = { maxFeePerGas: 2000n * GWEI, maxPriorityFeePerGas: BigInt(1 + random.below(9)) * GWEI }
    const price = { gasPrice: 2000n * GWEI }
    const accessList = [{ address: random.pick(contracts), storageKeys: [random.hex(32)] }]
    const kind = random.pick<object>([
      { type: 'legacy', ...price },
      { type: 'eip2930', ...price, accessList },
      { type: 'eip1559', ...fees },
      { type: 'eip1559', ...fees, accessList },
    ])
    const content = random.pick<object>([
      { to: random.pick(contracts), data: random.hex(64) },
      { to: contracts[0], data: random.hex(32) },
      { to: contracts[0], data: random.hex(32) },
      { to: random.pick(accounts), value: 1n },
      { data: this.#programs.next() },
    ])
    const common = { chainId, nonce, gas: 400_000n }
    // Each transaction gets a unique blob: this node identifies blobs by their hash, geth by their transaction.
    const { blob, commitment, versionedHash } = constantBlob(++this.#blobs)
    const sidecars = [{ blob, commitment, proof }]
    const blobFees = { ...fees, maxFeePerBlobGas: 1000n * GWEI }
    const withBlob = { type: 'eip4844', ...blobFees, sidecars, blobVersionedHashes: [versionedHash] }
    const fields = hasBlob
      ? { ...common, ...withBlob, to: random.pick(accounts) }
      : { ...common, ...kind, ...content }
    return signer.signTransaction(fields as TransactionSerializable)
  }

  async #export(): Promise<MadeBlock> {
    const request = (method: string, ...params: unknown[]): Promise<unknown> =>
      this.#node.request(method, params)
    const block = (await request('eth_getBlockByNumber', 'latest', true)) as FullBlock
    if (block.requestsHash !== noRequests) throw new Error('the block has requests')
    const raw = (await request('debug_getRawBlock', 'latest')) as string
    const transactions: unknown[] = []
    for (const { hash } of block.transactions)
      transactions.push(await request('debug_getRawTransaction', hash))
    const { miner, mixHash, number, hash, parentHash, stateRoot, receiptsRoot, logsBloom } = block
    const { gasLimit, gasUsed, timestamp, extraData, baseFeePerGas, blobGasUsed, excessBlobGas } = block
    const payload = {
      parentHash,
      stateRoot,
      receiptsRoot,
      logsBloom,
      gasLimit,
      gasUsed,
      timestamp,
      extraData,
      feeRecipient: miner,
      prevRandao: mixHash,
      blockNumber: number,
      blockHash: hash,
      baseFeePerGas,
      blobGasUsed,
      excessBlobGas,
      transactions,
      withdrawals: block['withdrawals'],
    }
    const blobHashes = block.transactions.flatMap(({ blobVersionedHashes = [] }) => blobVersionedHashes)
    return { hash, raw, payload: [payload, blobHashes, block['parentBeaconBlockRoot'], []] }
  }
}
