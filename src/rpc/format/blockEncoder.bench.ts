import { bench, describe } from 'vitest'
import type { SealedBlock, SealedTransaction } from '../../chain/block/record.js'
import { createRules } from '../../chain/evm/forkSchedule.js'
import { createTransaction } from '../../chain/mempool/transaction.js'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { blockEncoder } from './block.js'

const filled = (length: number, value: number) => new Uint8Array(length).fill(value)
const rules = createRules({ chainId: 1n, hardfork: 'osaka' })

/** A mined ERC-20 transfer with its log. */
function transfer(index: number): SealedTransaction {
  const transaction = createTransaction(
    {
      type: 2,
      chainId: 1n,
      nonce: BigInt(index),
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      gasLimit: 60_000n,
      to: filled(20, 0x22),
      value: 0n,
      data: filled(68, 0xa9),
      accessList: [],
      v: 0n,
      r: 2n ** 252n,
      s: 2n ** 251n,
    },
    rules,
  )
  return {
    transaction,
    hash: filled(32, index),
    sender: filled(20, 0x33),
    impersonated: false,
    receipt: {
      status: 1,
      gasUsed: 51_000n,
      cumulativeGasUsed: 51_000n * BigInt(index + 1),
      logsBloom: filled(256, 1),
      logs: [
        {
          address: filled(20, 0x22),
          topics: [filled(32, 0xdd), filled(32, 0x33), filled(32, 0x44)],
          data: filled(32, 1),
        },
      ],
      effectiveGasPrice: 2_000_000_000n,
    },
  }
}

function blockOf(count: number): SealedBlock {
  return {
    hash: filled(32, 0xa0),
    header: {
      parentHash: filled(32, 1),
      uncleHash: filled(32, 0x1d),
      coinbase: filled(20, 0xcb),
      stateRoot: filled(32, 0x5a),
      transactionsRoot: filled(32, 0x7a),
      receiptsRoot: filled(32, 0x4e),
      logsBloom: new Uint8Array(256),
      difficulty: 0n,
      number: 1n,
      gasLimit: 30_000_000n,
      gasUsed: 51_000n * BigInt(count),
      timestamp: 1_000n,
      extraData: new Uint8Array(0),
      mixHash: filled(32, 0x33),
      nonce: new Uint8Array(8),
      baseFeePerGas: 1_000_000_000n,
    },
    transactions: Array.from({ length: count }, (_, index) => transfer(index)),
    uncles: [],
    uncleHashes: [],
    withdrawals: [],
    size: 600,
    totalDifficulty: 0n,
    altered: false,
  }
}

describe('a block as it is stored and answered', () => {
  for (const count of [1, 500]) {
    const block = blockOf(count)
    bench(`of ${count} token transfers`, () => void runToCompletion(blockEncoder.encode(block)))
  }
})
