import { StringDecoder } from 'node:string_decoder'
import { createGunzip } from 'node:zlib'
import type * as z from 'zod'
import { encodeBlockInSteps, logsBloom, serializedTransaction } from '../../chain/block/body.js'
import { hashHeader } from '../../chain/block/header.js'
import type { SealedBlock, SealedTransaction } from '../../chain/block/record.js'
import type { ImportedState } from '../../chain/controls/stateDump.js'
import { withChainId } from '../../chain/evm/forkSchedule.js'
import type { GenesisAccount } from '../../chain/genesis/ownGenesis.js'
import type { TransactionType } from '../../chain/mempool/decode.js'
import type { AccessListEntry, Authorization } from '../../chain/calls/callObject.js'
import { checkSizes, createTransaction } from '../../chain/mempool/transaction.js'
import type { ExecutionLog, HeaderFields } from '../../chain/types.js'
import type { ChainView } from '../../chain/view.js'
import { minBigint } from '../../encoding/bigints.js'
import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { JsonLimitError, type JsonLimits, parseJsonInSteps, unlimited } from '../../encoding/json.js'
import { keysOf } from '../../encoding/jsonKeys.js'
import { TextPieces } from '../../encoding/jsonText.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { type Path, StateDumpError, readBytes, readPart } from './readPart.js'
import {
  type AnvilState,
  type DumpedBlock,
  type DumpedHeader,
  type DumpedOutcome,
  type DumpedTransaction,
  accessListEntry,
  account,
  anvilState,
  authorization,
  block,
  bytes as byteString,
  genesisAlloc,
  log,
  outcome,
  sent,
  withdrawal,
  word,
} from './schema.js'

/** Bytes decompressed and decoded per step. */
const BYTES_AT_ONCE = 256 * 1024

/** Limits of a dump. */
export interface DumpLimits {
  /** Bytes of the dump once it is decompressed. */
  length: number
  json: JsonLimits
}

const noLimits: DumpLimits = { length: Infinity, json: unlimited }

/**
 * Reads a state dump: anvil's format as JSON, possibly gzipped, or the accounts of a geth genesis. Yields to other work
 * while reading.
 *
 * @param view - provides the rules for reading the dump's blocks
 * @throws StateDumpError if it is not a dump or exceeds a limit, or a block is missing
 */
export async function readDump(dump: Uint8Array, view: ChainView, limits = noLimits): Promise<ImportedState> {
  const slice = new TimeSlice()
  const json = await parseJson(dump, limits, slice)
  const genesis = genesisAlloc.safeParse(json)
  if (genesis.success) {
    return { accounts: await readAccounts(genesis.data.alloc, 'alloc', slice), blocks: [] }
  }
  const state = readPart(anvilState, json, [])
  const accounts = await readAccounts(state.accounts, 'accounts', slice)
  if (state.blocks.length === 0 && state.transactions.length === 0) return { accounts, blocks: [] }
  return { accounts, blocks: await readBlocks(state, view, slice) }
}

async function parseJson(dump: Uint8Array, { length, json }: DumpLimits, slice: TimeSlice): Promise<unknown> {
  try {
    const text = await readText(dump, length, slice)
    return await runInSlices(parseJsonInSteps(text, { limits: json }), slice)
  } catch (error) {
    const reason = error instanceof JsonLimitError ? `: ${error.message}` : ''
    throw new StateDumpError(`Failed to decode state dump${reason}`)
  }
}

/** Decompresses a dump if it is compressed, and decodes its text, in slices. */
async function readText(dump: Uint8Array, maxLength: number, slice: TimeSlice): Promise<TextPieces> {
  const isCompressed = dump[0] === 0x1f && dump[1] === 0x8b
  const decoder = new StringDecoder('utf8')
  const text = new TextPieces()
  let length = 0
  for await (const bytes of isCompressed ? decompress(dump) : slicesOf(dump)) {
    length += bytes.length
    if (length > maxLength) throw new RangeError(`a dump of more than ${maxLength} bytes`)
    text.push(decoder.write(bytes))
    await slice.pause()
  }
  text.push(decoder.end())
  return text
}

function decompress(compressed: Uint8Array): AsyncIterable<Buffer> {
  const stream = createGunzip({ chunkSize: BYTES_AT_ONCE })
  stream.end(compressed)
  return stream
}

function* slicesOf({ buffer, byteOffset, length }: Uint8Array): Generator<Buffer> {
  for (let start = 0; start < length; start += BYTES_AT_ONCE) {
    yield Buffer.from(buffer, byteOffset + start, Math.min(BYTES_AT_ONCE, length - start))
  }
}

async function readAccounts(
  accounts: Record<string, unknown>,
  member: string,
  slice: TimeSlice,
): Promise<GenesisAccount[]> {
  const all: GenesisAccount[] = []
  for (const address of keysOf(accounts)) {
    await slice.pause()
    const path = [member, address]
    const { nonce, balance, code, storage } = readPart(account, accounts[address], path)
    if (!/^(0x)?[0-9a-f]{40}$/i.test(address)) {
      throw new StateDumpError(`Failed to decode state dump: ${address} is not an address`)
    }
    const slots = await readSlots(storage, [...path, 'storage'], slice)
    const read = await readBytes(code, [...path, 'code'], slice)
    all.push({ address: hexToBytes(address), nonce, balance, code: read, storage: slots })
  }
  return all
}

async function readSlots(
  storage: Record<string, unknown>,
  path: Path,
  slice: TimeSlice,
): Promise<GenesisAccount['storage']> {
  const slots: [slot: Uint8Array, value: Uint8Array][] = []
  for (const slot of keysOf(storage)) {
    await slice.pause()
    const key = hexToBytes(slot.replace(/^0x/, '').padStart(64, '0'))
    slots.push([key, readPart(word, storage[slot], [...path, slot])])
  }
  return slots
}

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
 * Reads the chain of a dump up to its best block, in ascending order; empty if the dump has no blocks.
 *
 * @throws StateDumpError if a part cannot be read, or the best block is missing
 */
async function readBlocks(state: AnvilState, view: ChainView, slice: TimeSlice): Promise<SealedBlock[]> {
  const reading = { outcomes: await readOutcomes(state, slice), view, slice }
  const best = state.best_block_number ?? state.block?.number
  const byHash = new Map<string, SealedBlock>()
  let head: SealedBlock | undefined
  for (const [index, value] of state.blocks.entries()) {
    await slice.pause()
    const path = ['blocks', index]
    const sealed = await readBlock(readPart(block, value, path), path, reading)
    if (sealed.header.number === best) head ??= sealed
    byHash.set(bytesToPlainHex(sealed.hash), sealed)
  }
  if (state.block === null || state.block === undefined || byHash.size === 0) return []
  if (head === undefined) throw new StateDumpError(`Best hash not found for best number ${best}`)
  const chain: SealedBlock[] = []
  for (
    let next: SealedBlock | undefined = head;
    next !== undefined;
    next = byHash.get(bytesToPlainHex(next.header.parentHash))
  ) {
    const child = chain.at(-1)?.header.number
    if (child !== undefined && child !== next.header.number + 1n) {
      throw new StateDumpError(`block ${child} has the parent ${next.header.number}`)
    }
    chain.push(next)
    await slice.pause()
  }
  return chain.reverse()
}

/** Key of a transaction by position: anvil's hash of an impersonated one does not follow from its fields. */
function outcomeKey(blockHash: Uint8Array, index: number): string {
  return `${bytesToPlainHex(blockHash)}/${index}`
}

/** Context for reading blocks. */
export interface BlockReading {
  outcomes: ReadonlyMap<string, DumpedOutcome>
  /** Provides the rules for reading the blocks. */
  view: ChainView
  slice: TimeSlice
}

/**
 * Reads a block with its transactions and their receipts.
 *
 * @param path - of the block, for error messages
 */
async function readBlock(
  { header: dumped, transactions, withdrawals }: DumpedBlock,
  path: Path,
  { outcomes, view, slice }: BlockReading,
): Promise<SealedBlock> {
  const header = readHeader(dumped)
  const hash = hashHeader(header)
  const sealed: SealedTransaction[] = []
  for (const [index, value] of transactions.entries()) {
    await slice.pause()
    const place = [...path, 'transactions', index]
    const { transaction, impersonated_sender: sender } = readPart(sent, value, place)
    const outcome = outcomes.get(outcomeKey(hash, index))
    if (outcome === undefined) {
      throw new StateDumpError(`block ${header.number} has a transaction without a receipt`)
    }
    const parts = { transaction, impersonated: sender ?? undefined, outcome, header, view, slice }
    sealed.push(await readTransaction(parts, [...place, 'transaction']))
  }
  const body = { header, transactions: sealed.map(({ transaction }) => transaction), uncles: [] }
  const paid = withdrawals && (await readList(withdrawal, withdrawals, [...path, 'withdrawals'], slice))
  const encoding = encodeBlockInSteps({ ...body, ...(paid && { withdrawals: paid }) })
  const size = (await runInSlices(encoding, slice)).length
  return {
    hash,
    header,
    transactions: sealed,
    uncles: [],
    uncleHashes: [],
    ...(paid && { withdrawals: paid }),
    size,
    totalDifficulty: 0n,
    altered: true,
  }
}

/** Reads the elements of a list, yielding to other work in between. */
async function readList<Schema extends z.ZodType>(
  schema: Schema,
  values: readonly unknown[],
  path: Path,
  slice: TimeSlice,
): Promise<z.output<Schema>[]> {
  const read: z.output<Schema>[] = []
  for (const [index, value] of values.entries()) {
    await slice.pause()
    read.push(readPart(schema, value, [...path, index]))
  }
  return read
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
  slice: TimeSlice
}

async function readTransaction(
  { transaction: dumped, impersonated, outcome: { info, receipt }, header, view, slice }: TransactionParts,
  path: Path,
): Promise<SealedTransaction> {
  const data = await readBytes(dumped.input, [...path, 'input'], slice)
  const lists = await readLists(dumped, path, slice)
  checkSizes(data, lists.accessList, lists.authorizationList)
  const fields = fieldsOf(dumped)
  // The dump may be of a chain with another id.
  const rules = withChainId(view.rulesAt(header), fields.chainId ?? view.chainId)
  const transaction = createTransaction({ ...fields, ...lists, data }, rules)
  // The block is encoded in one go.
  serializedTransaction(transaction)
  const price = dumped.maxFeePerGas ?? dumped.gasPrice ?? 0n
  const withTip = (header.baseFeePerGas ?? 0n) + (dumped.maxPriorityFeePerGas ?? dumped.gasPrice ?? 0n)
  const logs = await readLogs(receipt.logs, slice)
  return {
    transaction,
    hash: info.transaction_hash,
    sender: impersonated ?? info.from,
    impersonated: impersonated !== undefined,
    receipt: {
      status: Number(receipt.status) === 0 ? 0 : 1,
      gasUsed: info.gas_used,
      cumulativeGasUsed: receipt.cumulativeGasUsed,
      logsBloom: receipt.logsBloom ?? (await runInSlices(logsBloom(logs), slice)),
      logs,
      effectiveGasPrice: minBigint(withTip, price),
      ...(info.contract_address && { contractAddress: info.contract_address }),
    },
  }
}

async function readLogs(values: readonly unknown[], slice: TimeSlice): Promise<ExecutionLog[]> {
  const path = ['transactions', 'receipt', 'logs']
  const logs: ExecutionLog[] = []
  for (const { address, topics, data } of await readList(log, values, path, slice)) {
    const place = [...path, logs.length]
    logs.push({
      address,
      topics: await readList(byteString, topics, [...place, 'topics'], slice),
      data: await readBytes(data, [...place, 'data'], slice),
    })
  }
  return logs
}

interface TransactionLists {
  accessList: AccessListEntry[]
  blobVersionedHashes?: Uint8Array[]
  authorizationList?: Authorization[]
}

async function readLists(
  { accessList, blobVersionedHashes: hashes, authorizationList }: DumpedTransaction,
  path: Path,
  slice: TimeSlice,
): Promise<TransactionLists> {
  const lists: TransactionLists = { accessList: [] }
  const place = [...path, 'accessList']
  for (const { address, storageKeys } of await readList(accessListEntry, accessList ?? [], place, slice)) {
    const keys = [...place, lists.accessList.length, 'storageKeys']
    lists.accessList.push({ address, storageKeys: await readList(byteString, storageKeys, keys, slice) })
  }
  if (hashes) {
    lists.blobVersionedHashes = await readList(byteString, hashes, [...path, 'blobVersionedHashes'], slice)
  }
  if (authorizationList) {
    const listPath = [...path, 'authorizationList']
    lists.authorizationList = await readList(authorization, authorizationList, listPath, slice)
  }
  return lists
}

type FieldsWithoutLists = Omit<Parameters<typeof createTransaction>[0], keyof TransactionLists | 'data'>

function fieldsOf(dumped: DumpedTransaction): FieldsWithoutLists {
  const { to, nonce, gas: gasLimit, value, r, s, yParity, v } = dumped
  return {
    type: Number(dumped.type) as TransactionType,
    nonce,
    gasLimit,
    value,
    ...(to && { to }),
    ...given('chainId', dumped.chainId),
    ...given('gasPrice', dumped.gasPrice),
    ...given('maxFeePerGas', dumped.maxFeePerGas),
    ...given('maxPriorityFeePerGas', dumped.maxPriorityFeePerGas),
    ...given('maxFeePerBlobGas', dumped.maxFeePerBlobGas),
    v: v ?? yParity ?? 0n,
    r,
    s,
  }
}

function given<Name extends string, T>(name: Name, value: T | null | undefined): { [K in Name]?: T } {
  return (value === null || value === undefined ? {} : { [name]: value }) as { [K in Name]?: T }
}
