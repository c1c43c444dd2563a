import { RLP, type NestedUint8Array } from '@ethereumjs/rlp'
import { type RlpSpan, envelopesOf, splitRlp } from '../strictRlp.js'
import type { HeaderFields } from '../types.js'
import type { ChainStores } from '../reader.js'
import { headerFromList } from './header.js'
import type { StoredBlock } from './record.js'

type Item = Uint8Array | NestedUint8Array

/** Splits a block's RLP: header, transactions, uncles, and since Shanghai withdrawals. */
function partsOf(blockRlp: Uint8Array): Item[] {
  const parts = RLP.decode(blockRlp)
  if (parts instanceof Uint8Array) throw new Error('the RLP of the block is not a list')
  return parts
}

/** Yields the transactions of a block's RLP in EIP-2718 form, as views, without decoding them. */
export function rawTransactions(blockRlp: Uint8Array): Generator<Uint8Array, undefined> {
  return envelopesOf(blockRlp, transactionList(blockRlp))
}

function transactionList(blockRlp: Uint8Array): RlpSpan {
  const block = splitRlp(blockRlp, 0, blockRlp.length)
  const header = splitRlp(blockRlp, block.start, block.end)
  return splitRlp(blockRlp, header.end, block.end)
}

/** The consensus encodings of what a chain stores. */
export class BlockRecords {
  readonly #stores: Pick<ChainStores, 'blocks' | 'states'>

  constructor(stores: Pick<ChainStores, 'blocks' | 'states'>) {
    this.#stores = stores
  }

  /** Returns the RLP of the whole block. */
  rawBlock(block: StoredBlock): Uint8Array {
    return this.#stores.blocks.blockRlp(block)
  }

  /** Yields each receipt in its EIP-2718 form. */
  rawReceipts(block: StoredBlock): Iterable<Uint8Array> {
    return this.#stores.blocks.receiptsRlp(block)
  }

  /** Yields all transactions of the block in EIP-2718 form. */
  rawTransactions(block: StoredBlock): Iterable<Uint8Array> {
    return rawTransactions(this.rawBlock(block))
  }

  /** Returns one transaction in EIP-2718 form. */
  rawTransaction(block: StoredBlock, index: number): Uint8Array {
    let position = 0
    for (const raw of this.rawTransactions(block)) if (position++ === index) return raw
    throw new RangeError(`block ${block.header.number} has no transaction ${index}`)
  }

  /** Returns the headers of the block's uncles. */
  uncles(block: StoredBlock): readonly HeaderFields[] {
    if (block.uncleHashes.length === 0) return []
    const uncles = partsOf(this.rawBlock(block))[2]
    if (uncles === undefined || uncles instanceof Uint8Array)
      throw new Error('the block has no list of uncles')
    return uncles.map((item) => {
      if (item instanceof Uint8Array) throw new Error('the RLP of the uncle is not a list')
      return headerFromList(item)
    })
  }

  /** Returns the code with a 32-byte keccak-256 hash, if an account of any block had it. */
  code(hash: Uint8Array): Uint8Array | undefined {
    return this.#stores.states.getCode(hash)
  }
}
