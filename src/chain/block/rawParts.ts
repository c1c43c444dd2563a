import { RLP, type NestedUint8Array } from '@ethereumjs/rlp'
import { splitRlp, type RlpSpan } from '../mempool/strictRlp.js'
import type { HeaderFields } from '../types.js'
import { hashHeader, headerFromList } from './header.js'

/** Bytes of a header that are decoded at all: a list of millions of items takes seconds. */
const LONGEST_HEADER = 65_536

/** The 32-byte hash of a block from its RLP, or undefined if the bytes are no block. */
export function hashOfBlock(blockRlp: Uint8Array): Uint8Array | undefined {
  try {
    const block = splitRlp(blockRlp, 0, blockRlp.length)
    const { isList, start, end } = splitRlp(blockRlp, block.start, block.end)
    if (!block.isList || !isList || end - start > LONGEST_HEADER) return undefined
    return hashHeader(headerFromList(RLP.decode(blockRlp.subarray(block.start, end)) as Uint8Array[]))
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

/**
 * The transactions of a block's RLP, each in its EIP-2718 form and in memory of its own. Nothing is decoded: a legacy
 * transaction stands in a block as it stands alone, a typed one as the content of a byte string.
 */
export function rawTransactions(blockRlp: Uint8Array): Uint8Array[] {
  const raws: Uint8Array[] = []
  const list = transactionList(blockRlp)
  for (let at = list.start; at < list.end;) {
    const { isList, start, end } = splitRlp(blockRlp, at, list.end)
    raws.push(blockRlp.slice(isList ? at : start, end))
    at = end
  }
  return raws
}

function transactionList(blockRlp: Uint8Array): RlpSpan {
  const block = splitRlp(blockRlp, 0, blockRlp.length)
  const header = splitRlp(blockRlp, block.start, block.end)
  return splitRlp(blockRlp, header.end, block.end)
}

/** The headers of the uncles of a block's RLP. */
export function uncleHeaders(blockRlp: Uint8Array): HeaderFields[] {
  return listAt(blockRlp, 2).map((item) => {
    if (item instanceof Uint8Array) throw new Error('the RLP of an uncle is a list')
    return headerFromList(item)
  })
}
