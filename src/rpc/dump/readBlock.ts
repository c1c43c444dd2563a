import { logsBloom } from '../../chain/block/bloom.js'
import { encodeBlock } from '../../chain/block/body.js'
import { hashHeader } from '../../chain/block/header.js'
import type { SealedBlock, SealedTransaction } from '../../chain/block/record.js'
import { createTransaction } from '../../chain/mempool/create.js'
import type { TransactionType } from '../../chain/mempool/decode.js'
import type { HeaderFields } from '../../chain/types.js'
import type { ChainView } from '../../chain/view.js'
import { bytesToPlainHex } from '../../encoding/hex.js'
import type { TimeSlice } from '../../encoding/timeSlice.js'
import { StateDumpError, readPart } from './readPart.js'
import {
  type AnvilState,
  type DumpedBlock,
  type DumpedHeader,
  type DumpedOutcome,
  type DumpedTransaction,
  block,
  outcome,
} from './schema.js'

async function readOutcomes(state: AnvilState, slice: TimeSlice): Promise<Map<string, DumpedOutcome>> {
  const outcomes = new Map<string, DumpedOutcome>()
  for (const [index, value] of state.transactions.entries()) {
    await slice.pause()
    const dumped = readPart(outcome, value, ['transactions', index])
    outcomes.set(outcomeKey(dumped.block_hash, dumped.info.transaction_index), dumped)
  }
  return outcomes
}

/**
 * The chain of a dump up to its best block, in rising order; none if it tells of no block.
 *
 * @throws StateDumpError if a part of it cannot be read, or the best block is missing
 */
export async function readBlocks(
  state: AnvilState,
  view: ChainView,
  slice: TimeSlice,
): Promise<SealedBlock[]> {
  const reading = { outcomes: await readOutcomes(state, slice), view, slice }
  const byHash = new Map<string, SealedBlock>()
  const blocks: SealedBlock[] = []
  for (const [index, value] of state.blocks.entries()) {
    await slice.pause()
    const sealed = await readBlock(readPart(block, value, ['blocks', index]), reading)
    blocks.push(sealed)
    byHash.set(bytesToPlainHex(sealed.hash), sealed)
  }
  if (state.block === null || state.block === undefined || blocks.length === 0) return []
  const best = state.best_block_number ?? state.block.number
  let next = blocks.find(({ header }) => header.number === best)
  if (next === undefined) throw new StateDumpError(`Best hash not found for best number ${best}`)
  const chain: SealedBlock[] = []
  for (; next !== undefined; next = byHash.get(bytesToPlainHex(next.header.parentHash))) chain.push(next)
  return chain.reverse()
}

/** Names the place of a transaction: anvil's hash of an impersonated one is not that of its fields. */
export function outcomeKey(blockHash: Uint8Array, index: number): string {
  return `${bytesToPlainHex(blockHash)}/${index}`
}

/** What the blocks of a dump are read with. */
export interface BlockReading {
  outcomes: ReadonlyMap<string, DumpedOutcome>
  /** Tells the rules that the blocks are read under. */
  view: ChainView
  slice: TimeSlice
}

/** A block of a dump with its transactions and what became of them. */
export async function readBlock(
  { header: dumped, transactions, withdrawals }: DumpedBlock,
  { outcomes, view, slice }: BlockReading,
): Promise<SealedBlock> {
  const header = readHeader(dumped)
  const hash = hashHeader(header)
  const sealed: SealedTransaction[] = []
  for (const [index, { transaction, impersonated_sender: sender }] of transactions.entries()) {
    await slice.pause()
    const outcome = outcomes.get(outcomeKey(hash, index))
    if (outcome === undefined) {
      throw new StateDumpError(`block ${header.number} has a transaction without a receipt`)
    }
    sealed.push(readTransaction({ transaction, impersonated: sender ?? undefined, outcome, header, view }))
  }
  const body = { header, transactions: sealed.map(({ transaction }) => transaction), uncles: [] }
  const paid = withdrawals ?? undefined
  const size = encodeBlock({ ...body, ...(paid !== undefined && { withdrawals: paid }) }).length
  return {
    hash,
    header,
    transactions: sealed,
    uncles: [],
    uncleHashes: [],
    ...(paid !== undefined && { withdrawals: paid }),
    size,
    totalDifficulty: 0n,
    altered: true,
  }
}

function readHeader({ sha3Uncles: uncleHash, miner: coinbase, ...dumped }: DumpedHeader): HeaderFields {
  const present = Object.fromEntries(
    Object.entries(dumped).filter(([, value]) => value !== null && value !== undefined),
  ) as Omit<HeaderFields, 'uncleHash' | 'coinbase'>
  return { ...present, uncleHash, coinbase }
}

interface TransactionParts {
  transaction: DumpedTransaction
  impersonated: Uint8Array | undefined
  outcome: DumpedOutcome
  header: HeaderFields
  view: ChainView
}

function readTransaction({
  transaction: dumped,
  impersonated,
  outcome: { info, receipt },
  header,
  view,
}: TransactionParts): SealedTransaction {
  const transaction = createTransaction(fieldsOf(dumped), view.rulesAt(header))
  const price = dumped.maxFeePerGas ?? dumped.gasPrice ?? 0n
  const withTip = (header.baseFeePerGas ?? 0n) + (dumped.maxPriorityFeePerGas ?? dumped.gasPrice ?? 0n)
  const logs = receipt.logs
  return {
    transaction,
    hash: info.transaction_hash,
    sender: impersonated ?? info.from,
    impersonated: impersonated !== undefined,
    receipt: {
      status: Number(receipt.status) === 0 ? 0 : 1,
      gasUsed: info.gas_used,
      cumulativeGasUsed: receipt.cumulativeGasUsed,
      logsBloom: receipt.logsBloom ?? logsBloom(logs),
      logs,
      effectiveGasPrice: withTip < price ? withTip : price,
      ...(info.contract_address && { contractAddress: info.contract_address }),
    },
  }
}

function fieldsOf(dumped: DumpedTransaction): Parameters<typeof createTransaction>[0] {
  const { to, nonce, gas: gasLimit, value, input: data, r, s, yParity, v } = dumped
  return {
    type: Number(dumped.type) as TransactionType,
    nonce,
    gasLimit,
    value,
    data,
    accessList: dumped.accessList ?? [],
    ...(to && { to }),
    ...given('chainId', dumped.chainId),
    ...given('gasPrice', dumped.gasPrice),
    ...given('maxFeePerGas', dumped.maxFeePerGas),
    ...given('maxPriorityFeePerGas', dumped.maxPriorityFeePerGas),
    ...given('maxFeePerBlobGas', dumped.maxFeePerBlobGas),
    ...given('blobVersionedHashes', dumped.blobVersionedHashes),
    ...given('authorizationList', dumped.authorizationList),
    v: v ?? yParity ?? 0n,
    r,
    s,
  }
}

function given<Name extends string, T>(name: Name, value: T | null | undefined): { [K in Name]?: T } {
  return (value === null || value === undefined ? {} : { [name]: value }) as { [K in Name]?: T }
}
