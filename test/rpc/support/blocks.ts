import type { SealedBlock, SealedTransaction } from '../../../src/chain/block/record.js'
import type { ExecutionLog, HeaderFields } from '../../../src/chain/types.js'

/** Returns `length` bytes of one value. */
export function filled(length: number, value: number): Uint8Array {
  return new Uint8Array(length).fill(value)
}

/** Creates an Osaka header. */
function testHeader(number: bigint, fields: Partial<HeaderFields> = {}): HeaderFields {
  return {
    parentHash: filled(32, Number(number)),
    uncleHash: filled(32, 0x1d),
    coinbase: filled(20, 0xcb),
    stateRoot: filled(32, 0x5a),
    transactionsRoot: filled(32, 0x7a),
    receiptsRoot: filled(32, 0x4e),
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp: 1_000n + number,
    extraData: Uint8Array.of(0xee),
    mixHash: filled(32, 0x33),
    nonce: new Uint8Array(8),
    baseFeePerGas: 1_000_000_000n,
    withdrawalsRoot: filled(32, 0x88),
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: new Uint8Array(32),
    requestsHash: filled(32, 0xe3),
    ...fields,
  }
}

/** Creates a sealed block; every byte of its hash is its number plus 0xa0. */
export function testBlock(
  number: bigint,
  transactions: readonly SealedTransaction[] = [],
  fields: Partial<HeaderFields> = {},
): SealedBlock {
  return {
    hash: filled(32, 0xa0 + Number(number)),
    header: testHeader(number, fields),
    transactions,
    uncles: [],
    uncleHashes: [],
    withdrawals: [],
    size: 600,
    totalDifficulty: 0n,
    altered: false,
  }
}

/** Creates a mined, successful transaction with these logs. */
export function testSealed(
  transaction: SealedTransaction['transaction'],
  logs: ExecutionLog[] = [],
  fields: Partial<SealedTransaction['receipt']> = {},
): SealedTransaction {
  return {
    transaction,
    hash: transaction.hash(),
    sender: transaction.getSenderAddress().bytes,
    impersonated: false,
    receipt: {
      status: 1,
      gasUsed: 21_000n,
      cumulativeGasUsed: 21_000n,
      logsBloom: filled(256, logs.length > 0 ? 1 : 0),
      logs,
      effectiveGasPrice: 1_500_000_000n,
      ...fields,
    },
  }
}
