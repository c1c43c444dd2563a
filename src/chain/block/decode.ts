import type { Steps } from '../../encoding/timeSlice.js'
import { TransactionEncodingError } from '../errors.js'
import { readTransaction } from '../mempool/decode.js'
import { FieldReader } from '../mempool/fieldReader.js'
import { type RlpItem, checkSingleItem, decodeStrictRlp } from '../strictRlp.js'
import type { HeaderFields } from '../types.js'
import { hashHeader } from './header.js'

/**
 * Decodes untrusted block RLP and returns the 32-byte hash of the block.
 *
 * @throws TransactionEncodingError with geth's message (core/types/block.go, extblock; rlp/decode.go)
 */
export function* decodeBlockHash(blockRlp: Uint8Array): Steps<Uint8Array> {
  if (blockRlp.length === 0) throw new TransactionEncodingError('EOF')
  const path = '(types.Block)(types.extblock)'
  const block = new FieldReader(decodeStrictRlp(blockRlp), 'types.extblock', path)
  const header = readHeader(block.next(), `${path}.Header`)
  yield* readEach(block.items('Txs', '[]*types.Transaction'), readTransaction)
  yield* readEach(block.items('Uncles', '[]*types.Header'), readHeader)
  if (block.hasMore) yield* readEach(block.items('Withdrawals', '[]*types.Withdrawal'), readWithdrawal)
  block.end()
  checkSingleItem(blockRlp)
  return hashHeader(header)
}

/** Items read between two yields. */
const ITEMS_AT_ONCE = 64

function* readEach(
  items: Iterable<[item: RlpItem, path: string]>,
  read: (item: RlpItem, path: string) => unknown,
): Steps<void> {
  let count = 0
  for (const [item, path] of items) {
    read(item, path)
    if (++count % ITEMS_AT_ONCE === 0) yield
  }
}

function readHeader(item: RlpItem, path: string): HeaderFields {
  const reader = new FieldReader(item, 'types.Header', path)
  const hash = (name: string): Uint8Array => reader.fixed(name, { type: 'common.Hash', length: 32 })
  const header: HeaderFields = {
    parentHash: hash('ParentHash'),
    uncleHash: hash('UncleHash'),
    coinbase: reader.address('Coinbase'),
    stateRoot: hash('Root'),
    transactionsRoot: hash('TxHash'),
    receiptsRoot: hash('ReceiptHash'),
    logsBloom: reader.fixed('Bloom', { type: 'types.Bloom', length: 256 }),
    difficulty: reader.big('Difficulty'),
    number: reader.big('Number'),
    gasLimit: reader.uint64('GasLimit'),
    gasUsed: reader.uint64('GasUsed'),
    timestamp: reader.uint64('Time'),
    extraData: reader.bytes('Extra'),
    mixHash: hash('MixDigest'),
    nonce: reader.fixed('Nonce', { type: 'types.BlockNonce', length: 8 }),
    baseFeePerGas: reader.hasMore ? reader.big('BaseFee') : undefined,
    withdrawalsRoot: reader.hasMore ? hash('WithdrawalsHash') : undefined,
    blobGasUsed: reader.hasMore ? reader.uint64('BlobGasUsed') : undefined,
    excessBlobGas: reader.hasMore ? reader.uint64('ExcessBlobGas') : undefined,
    parentBeaconBlockRoot: reader.hasMore ? hash('ParentBeaconRoot') : undefined,
    requestsHash: reader.hasMore ? hash('RequestsHash') : undefined,
  }
  reader.end()
  return header
}

function readWithdrawal(item: RlpItem, path: string): void {
  const reader = new FieldReader(item, 'types.Withdrawal', path)
  reader.uint64('Index')
  reader.uint64('Validator')
  reader.address('Address')
  reader.uint64('Amount')
  reader.end()
}
