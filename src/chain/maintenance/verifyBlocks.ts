import { RLP } from '@ethereumjs/rlp'
import { errorText } from '../../encoding/errorText.js'
import { bytesEqual, bytesToHex } from '../../encoding/hex.js'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { decodeOrdinal, ordinalOfKey } from '../../storage/keyspace.js'
import { orderedRoot } from '../block/body.js'
import { encodeHeader } from '../block/header.js'
import { decodeTransactionRow, logKey, logRows } from '../block/indexRecord.js'
import { rawTransactions } from '../block/rawParts.js'
import type { StoredBlock } from '../block/record.js'
import { keccak256 } from '../crypto.js'
import { forkRootOf } from '../fork/forkPoint.js'
import { isList } from '../rlp.js'
import type { ExecutionLog } from '../types.js'
import { oldestNumber } from '../view.js'
import type { StoredChain } from './keptStates.js'

/** A problem with a block, or with an index that finds it. */
export interface BlockProblem {
  /** The block, by number and hash or by ordinal. */
  block: string
  problem: string
}

/**
 * Checks every stored block and the indexes that find it: its hash, the roots of its transactions and receipts, and the
 * rows for its hash, its transactions, its logs and, if canonical, its number.
 *
 * @returns the number of blocks
 */
export async function verifyBlocks(
  chain: StoredChain,
  report: (problem: BlockProblem) => void,
): Promise<number> {
  const { database, keys, blocks } = chain
  const isFork = forkRootOf(database, keys) !== undefined
  let count = 0
  for await (const [key] of database.iterate(keys.blocks())) {
    const ordinal = ordinalOfKey(key)
    count++
    let name = `block with ordinal ${ordinal}`
    try {
      const block = blocks.byOrdinal(ordinal) as StoredBlock
      name = `block ${block.header.number} (${bytesToHex(block.hash)})`
      // The body of a fork's first block stays at the remote.
      const problems = [
        ...indexProblems(chain, block),
        ...(isFork && ordinal === 0 ? [] : bodyProblems(chain, block)),
      ]
      for (const problem of problems) report({ block: name, problem })
    } catch (error) {
      report({ block: name, problem: errorText(error) })
    }
  }
  verifyNumbers(chain, report)
  return count
}

function* indexProblems({ database, keys, blocks }: StoredChain, block: StoredBlock): Generator<string> {
  const row = database.get(keys.ordinalByHash(block.hash))
  // A block that is mined identically after a revert is found under its last ordinal.
  const found = row && blocks.byOrdinal(decodeOrdinal(row))
  if (found === undefined || !bytesEqual(found.hash, block.hash)) yield 'it is not found by its hash'
  for (const [index, { hash }] of block.transactions.entries()) {
    const inclusions = decodeTransactionRow(database.get(keys.transaction(hash)) ?? new Uint8Array(0))
    if (!inclusions.some((inclusion) => inclusion.ordinal === block.ordinal && inclusion.index === index)) {
      yield `its transaction ${bytesToHex(hash)} is not found by its hash`
    }
  }
}

function* bodyProblems({ database, keys, blocks }: StoredChain, block: StoredBlock): Generator<string> {
  const { header, transactions } = block
  const rlp = blocks.blockRlp(block)
  const [storedHeader] = RLP.decode(rlp) as [Uint8Array[]]
  if (!bytesEqual(RLP.encode(storedHeader), encodeHeader(header))) yield 'the header in its RLP differs'
  const raws = [...rawTransactions(rlp)]
  if (!bytesEqual(runToCompletion(orderedRoot(raws)), header.transactionsRoot))
    yield 'its transactions do not match its transactionsRoot'
  for (const [index, raw] of raws.entries()) {
    const hash = transactions[index]?.hash
    if (hash === undefined || !bytesEqual(keccak256(raw), hash))
      yield `its transaction ${index} has a different hash`
  }
  const receipts = [...blocks.receiptsRlp(block)]
  if (!bytesEqual(runToCompletion(orderedRoot(receipts)), header.receiptsRoot))
    yield 'its receipts do not match its receiptsRoot'
  for (const { criterion, posting } of runToCompletion(logRows(receipts.flatMap(logsOf)))) {
    const row = database.get(logKey(keys, criterion, block.ordinal))
    if (row === undefined || !bytesEqual(row, posting))
      yield `the log index has a different row for its ${criterion.kind}`
  }
}

/** Returns the logs of a receipt in consensus form, the last of its four fields. */
function logsOf(receipt: Uint8Array): ExecutionLog[] {
  const fields = RLP.decode(isList(receipt) ? receipt : receipt.subarray(1)) as unknown[]
  const logs = fields[3] as [Uint8Array, Uint8Array[], Uint8Array][]
  return logs.map(([address, topics, data]) => ({ address, topics, data }))
}

/** Walks the canonical chain from its oldest block to the head. */
function verifyNumbers({ blocks, head }: StoredChain, report: (problem: BlockProblem) => void): void {
  let parent: StoredBlock | undefined
  const first = blocks.byOrdinal(0)?.header.number ?? 0n
  const oldest = oldestNumber({ first, head }, (number) => blocks.canonicalOrdinal(number) !== undefined)
  const oldestBlock = blocks.byOrdinal(blocks.canonicalOrdinal(oldest) ?? -1)
  if (oldest > first && oldestBlock && blocks.byHash(oldestBlock.header.parentHash) !== undefined) {
    report({ block: `block ${oldest - 1n}`, problem: 'it is not found by its number' })
  }
  for (let number = oldest; number <= head; number++) {
    const ordinal = blocks.canonicalOrdinal(number)
    const block = ordinal === undefined ? undefined : blocks.byOrdinal(ordinal)
    const name = `block ${number}`
    if (block === undefined) report({ block: name, problem: 'it is not found by its number' })
    else if (block.header.number !== number) {
      report({ block: name, problem: `its number leads to block ${block.header.number}` })
    } else if (parent !== undefined && !bytesEqual(block.header.parentHash, parent.hash)) {
      report({ block: name, problem: `its parent is not block ${number - 1n}` })
    }
    parent = block
  }
}
