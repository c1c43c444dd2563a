import * as z from 'zod'
import { amount, bytes } from './schema.js'

const header = z.object({
  parentHash: bytes,
  sha3Uncles: bytes,
  miner: bytes,
  stateRoot: bytes,
  transactionsRoot: bytes,
  receiptsRoot: bytes,
  logsBloom: bytes,
  difficulty: amount,
  number: amount,
  gasLimit: amount,
  gasUsed: amount,
  timestamp: amount,
  extraData: bytes,
  mixHash: bytes,
  nonce: bytes,
  baseFeePerGas: amount.nullish(),
  withdrawalsRoot: bytes.nullish(),
  blobGasUsed: amount.nullish(),
  excessBlobGas: amount.nullish(),
  parentBeaconBlockRoot: bytes.nullish(),
  requestsHash: bytes.nullish(),
})

const transaction = z.object({
  type: amount.default(0n),
  chainId: amount.nullish(),
  nonce: amount,
  gas: amount,
  gasPrice: amount.nullish(),
  maxFeePerGas: amount.nullish(),
  maxPriorityFeePerGas: amount.nullish(),
  maxFeePerBlobGas: amount.nullish(),
  to: bytes.nullish(),
  value: amount,
  input: bytes,
  accessList: z.array(z.object({ address: bytes, storageKeys: z.array(bytes) })).nullish(),
  blobVersionedHashes: z.array(bytes).nullish(),
  authorizationList: z
    .array(
      z.object({ chainId: amount, address: bytes, nonce: amount, yParity: amount, r: amount, s: amount }),
    )
    .nullish(),
  r: amount,
  s: amount,
  v: amount.nullish(),
  yParity: amount.nullish(),
})

const withdrawal = z.object({ index: amount, validatorIndex: amount, address: bytes, amount })

/** A block with its transactions. */
export const block = z.object({
  header,
  transactions: z.array(z.object({ transaction, impersonated_sender: bytes.nullish() })),
  withdrawals: z.array(withdrawal).nullish(),
})

const log = z.object({ address: bytes, topics: z.array(bytes), data: bytes })

/** What became of a transaction. */
export const outcome = z.object({
  info: z.object({
    transaction_hash: bytes,
    transaction_index: z.int(),
    from: bytes,
    contract_address: bytes.nullish(),
    out: bytes.nullish(),
    gas_used: amount,
  }),
  receipt: z.object({
    status: z.union([amount, z.boolean()]).default(1n),
    cumulativeGasUsed: amount,
    logs: z.array(log).default([]),
    logsBloom: bytes.optional(),
  }),
  block_hash: bytes,
})

export type DumpedHeader = z.output<typeof header>
export type DumpedTransaction = z.output<typeof transaction>
export type DumpedBlock = z.output<typeof block>
export type DumpedOutcome = z.output<typeof outcome>
