import * as z from 'zod'
import { hexToBytes } from '../../encoding/hex.js'

/** Text of limited length, which is checked first: reading megabytes would hold up other work. */
const shortText = (length: number, error: string) => z.string().max(length, { abort: true, error })
const hexText = /^0x[0-9a-f]*$/i
const MAX_BYTES_LENGTH = 256 * 1024

/** A byte string in hexadecimal. */
export const bytes = shortText(2 + 2 * MAX_BYTES_LENGTH, `longer than ${MAX_BYTES_LENGTH} bytes`)
  .regex(hexText, 'not hexadecimal')
  .refine((text) => text.length % 2 === 0, 'an odd number of digits')
  .transform(hexToBytes)

/** A byte string that may lack leading zeros. */
export const word = shortText(66, 'longer than 32 bytes')
  .regex(hexText, 'not hexadecimal')
  .transform((text) => hexToBytes(text.slice(2).padStart(64, '0')))

/** Digits of the largest number of 256 bits in decimal, which are more than in hexadecimal. */
const MAX_NUMBER_LENGTH = 78

/** A JSON number, or a number in hexadecimal or decimal. */
const amount = z
  .union([
    z.int().nonnegative(),
    shortText(MAX_NUMBER_LENGTH, 'too large a number').regex(/^(0x[0-9a-f]*|\d+)$/i, 'not a number'),
  ])
  .transform((value) => (value === '0x' ? 0n : BigInt(value)))

/** Members by name, read later: a full schema would validate all of them in one piece. */
const listed = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'not an object',
)

/** Elements read later, as {@link listed}. */
const elements = z.custom<readonly unknown[]>((value) => Array.isArray(value), 'not a list')

/** Bytes in hexadecimal, decoded later by {@link readBytes}: there may be megabytes of them. */
const longBytes = z.string().regex(/^0x/, 'not hexadecimal')

/** An account; the values of its slots are {@link word}s. */
export const account = z.object({
  nonce: amount.default(0n),
  balance: amount,
  code: longBytes.default('0x'),
  storage: listed.default({}),
})

/**
 * A dump in the format of anvil_dumpState, whose accounts, blocks and transactions are read later. Other members are
 * ignored.
 */
export const anvilState = z.object({
  block: z.object({ number: amount }).nullish(),
  accounts: listed,
  best_block_number: amount.nullish(),
  blocks: elements.default([]),
  transactions: elements.default([]),
})

/** A geth genesis, reduced to its accounts, which are read later. */
export const genesisAlloc = z.object({ alloc: listed })

/** A decoded {@link anvilState}. */
export type AnvilState = z.output<typeof anvilState>

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

/** An entry of an access list, whose keys are {@link bytes} read later. */
export const accessListEntry = z.object({ address: bytes, storageKeys: elements })

/** An authorization (EIP-7702). */
export const authorization = z.object({
  chainId: amount,
  address: bytes,
  nonce: amount,
  yParity: amount,
  r: amount,
  s: amount,
})

/** Many more than a block has. */
const MAX_BLOBS = 1024

/** A transaction, whose lists are read later. */
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
  input: longBytes,
  accessList: elements.nullish(),
  blobVersionedHashes: elements.refine(({ length }) => length <= MAX_BLOBS, 'too many blobs').nullish(),
  authorizationList: elements.nullish(),
  r: amount,
  s: amount,
  v: amount.nullish(),
  yParity: amount.nullish(),
})

/** A withdrawal of a block (EIP-4895). */
export const withdrawal = z.object({ index: amount, validatorIndex: amount, address: bytes, amount })

/** A block; its {@link sent} transactions and {@link withdrawal}s are read later. */
export const block = z.object({ header, transactions: elements, withdrawals: elements.nullish() })

/** A transaction of a block. */
export const sent = z.object({ transaction, impersonated_sender: bytes.nullish() })

/** A log of a receipt; its topics are {@link bytes} read later, and its data is decoded later, as {@link longBytes}. */
export const log = z.object({ address: bytes, topics: elements, data: longBytes })

/** Execution result of a transaction; its {@link log}s are read later. */
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
    logs: elements.default([]),
    logsBloom: bytes.optional(),
  }),
  block_hash: bytes,
})

/** A decoded header. */
export type DumpedHeader = z.output<typeof header>
/** A decoded transaction, without its sender. */
export type DumpedTransaction = z.output<typeof transaction>
/** A decoded {@link block}. */
export type DumpedBlock = z.output<typeof block>
/** A decoded {@link outcome}. */
export type DumpedOutcome = z.output<typeof outcome>
