import { RLP, type NestedUint8Array } from '@ethereumjs/rlp'
import type { HeaderFields } from '../types.js'
import { hashHeader, headerFromList } from './header.js'

/** The 32-byte hash of a block from its RLP, or undefined if the bytes are no block. */
export function hashOfBlock(blockRlp: Uint8Array): Uint8Array | undefined {
  try {
    const header = listAt(blockRlp, 0)
    return hashHeader(headerFromList(header))
  } catch {
    return undefined
  }
}

type Item = Uint8Array | NestedUint8Array

/** The parts of a block's RLP: header, transactions, uncles, and since Shanghai withdrawals. */
function partsOf(blockRlp: Uint8Array): Item[] {
  const parts = RLP.decode(blockRlp)
  if (parts instanceof Uint8Array) throw new Error('the RLP of a block is a list')
  return parts
}

function listAt(blockRlp: Uint8Array, part: number): Item[] {
  const list = partsOf(blockRlp)[part]
  if (list === undefined || list instanceof Uint8Array) throw new Error(`part ${part} of a block is a list`)
  return list
}

/** The transactions of a block's RLP, each in its EIP-2718 form. */
export function rawTransactions(blockRlp: Uint8Array): Uint8Array[] {
  return listAt(blockRlp, 1).map((item) => (item instanceof Uint8Array ? item : RLP.encode(item)))
}

/** The headers of the uncles of a block's RLP. */
export function uncleHeaders(blockRlp: Uint8Array): HeaderFields[] {
  return listAt(blockRlp, 2).map((item) => {
    if (item instanceof Uint8Array) throw new Error('the RLP of an uncle is a list')
    return headerFromList(item)
  })
}
