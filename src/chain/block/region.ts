import { encodeSealedBlock } from './body.js'
import { encodeRlp } from '../rlp.js'
import { encodeLogTable, type IndexRecord } from './indexRecord.js'
import { encodeReceipts } from './receipts.js'
import type { BlockEncoder, SealedBlock } from './record.js'
import type { Steps } from '../../encoding/timeSlice.js'

/** Where a region lies that is not written yet. */
const NOWHERE = -1

/** The bulk of a block in the form in which it is stored. */
export interface EncodedRegion {
  /** Its index record, which does not know yet where the region lies. */
  record: IndexRecord
  /** What the region is made of, as {@link IndexRecord} says. */
  pieces: readonly Uint8Array[]
  /** The piece that answers are made of. */
  wire: Uint8Array
}

/** Encodes the bulk of a sealed block that is stored under an ordinal. */
export function* encodeRegion(
  sealed: SealedBlock,
  ordinal: number,
  encoder: Pick<BlockEncoder, 'encode'>,
): Steps<EncodedRegion> {
  const { header, hash, size, altered, parentStateRoot, totalDifficulty, uncleHashes } = sealed
  const blockRlp = sealed.encoded?.block ?? encodeSealedBlock(sealed)
  yield
  const receiptsRlp = encodeRlp(sealed.encoded?.receipts ?? encodeReceipts(sealed.transactions))
  yield
  const encoded = yield* encoder.encode(sealed)
  yield
  const entries = sealed.transactions.map(({ hash: transactionHash, sender, impersonated }) => ({
    hash: transactionHash,
    sender,
    impersonated,
  }))
  const record: IndexRecord = {
    block: {
      ordinal,
      hash,
      header,
      totalDifficulty,
      size,
      altered,
      ...(parentStateRoot !== undefined && { parentStateRoot }),
      transactions: entries,
      uncleHashes,
    },
    region: {
      position: NOWHERE,
      blockLength: blockRlp.length,
      receiptsLength: receiptsRlp.length,
      wireLength: encoded.bytes.length,
      logCount: encoded.logs.length,
    },
    head: encoded.head,
    transactionSpans: encoded.transactions,
    receiptSpans: encoded.receipts,
  }
  const pieces = [blockRlp, receiptsRlp, encoded.bytes, encodeLogTable(encoded.logs)]
  return { record, pieces, wire: encoded.bytes }
}
