import type { StoredBlock } from '../../chain/block/record.js'
import type { ForkSchedule } from '../../chain/evm/forkSchedule.js'
import { gethGenesisPieces } from '../../chain/genesis/formatGenesis.js'
import type { GenesisAccount } from '../../chain/genesis/ownGenesis.js'
import type { ChainView } from '../../chain/view.js'
import { bytesToHex, hexPieces, quantity } from '../../encoding/hex.js'
import { textChunks } from '../../encoding/textChunks.js'
import { headerMembers } from '../format/block.js'
import type { JsonValue } from '../wire.js'

type Members = Record<string, JsonValue>

/** Source of a dump. */
export interface DumpSource {
  view: ChainView
  accounts: readonly GenesisAccount[]
  /** Abort it when the text is no longer read; the text then fails with its reason. */
  signal?: AbortSignal | undefined
}

/**
 * Writes the current state, blocks and transactions in the format of anvil_dumpState, without historical states. Yields
 * to other work between chunks. The chain must not change meanwhile.
 */
export function writeDump(source: DumpSource): AsyncGenerator<string> {
  return textChunks(dumpPieces(source), source.signal)
}

/** Writes the text in pieces of one account, slot, block or transaction. */
function* dumpPieces({ view, accounts }: DumpSource): Generator<string> {
  yield `{"block":${JSON.stringify(environmentJson(view))},"accounts":{`
  let separator = ''
  for (const account of accounts) {
    yield* accountPieces(account, separator)
    separator = ','
  }
  yield `},"best_block_number":${Number(view.head().header.number)},"blocks":[`
  separator = ''
  for (const block of canonicalBlocks(view)) {
    yield* blockPieces(view, block, separator)
    separator = ','
  }
  yield '],"transactions":['
  separator = ''
  for (const block of canonicalBlocks(view)) {
    // Other work gets its turn between pieces, also while a hundred thousand blocks are empty.
    yield ''
    for (const index of block.transactions.keys()) {
      yield* outcomePieces(view, block, index, separator)
      separator = ','
    }
  }
  yield '],"historical_states":null}'
}

/** Returns the block environment that a call on the head sees. */
function environmentJson(view: ChainView): JsonValue {
  const { header } = view.head()
  return {
    number: quantity(header.number),
    beneficiary: bytesToHex(header.coinbase),
    timestamp: quantity(header.timestamp),
    gas_limit: Number(header.gasLimit),
    basefee: Number(header.baseFeePerGas ?? 0n),
    difficulty: quantity(header.difficulty),
    prevrandao: bytesToHex(header.mixHash),
    blob_excess_gas_and_price:
      header.excessBlobGas === undefined
        ? null
        : { excess_blob_gas: Number(header.excessBlobGas), blob_gasprice: 1 },
    slot_num: 0,
  }
}

function* accountPieces(
  { address, nonce, balance, code, storage }: GenesisAccount,
  separator: string,
): Generator<string> {
  yield (
    `${separator}"${bytesToHex(address)}":{"nonce":${Number(nonce)},"balance":"${quantity(balance)}"` +
    ',"code":"'
  )
  yield* hexPieces(code)
  yield '","storage":{'
  let comma = ''
  for (const [slot, value] of storage) {
    yield `${comma}"${bytesToHex(slot)}":"${bytesToHex(value)}"`
    comma = ','
  }
  yield '}}'
}

function* canonicalBlocks(view: ChainView): Iterable<StoredBlock> {
  const first = view.resolve({ tag: 'earliest' })?.header.number ?? 0n
  for (let number = first; number <= view.head().header.number; number++) {
    const block = view.blockByNumber(number)
    if (block !== undefined) yield block
  }
}

function* blockPieces(view: ChainView, block: StoredBlock, separator: string): Generator<string> {
  const { hash: _, ...header } = JSON.parse(`${headerMembers(block.hash, block.header)}}`) as Members
  yield `${separator}{"header":${JSON.stringify(header)},"transactions":[`
  for (const [index, { impersonated, sender }] of block.transactions.entries()) {
    const transaction = withoutLocation(parse(view.wire(block).transaction(index)))
    const entry = { transaction, impersonated_sender: impersonated ? bytesToHex(sender) : null }
    yield `${index > 0 ? ',' : ''}${JSON.stringify(entry)}`
  }
  const withdrawals = block.header.withdrawalsRoot === undefined ? 'null' : '[]'
  yield `],"ommers":[],"withdrawals":${withdrawals}}`
}

/** Characters of logs written at once. */
const LOGS_AT_ONCE = 256 * 1024

/** Copies logs as text: a receipt may contain megabytes of them. */
function* outcomePieces(
  view: ChainView,
  block: StoredBlock,
  index: number,
  separator: string,
): Generator<string> {
  const wire = Buffer.from(view.wire(block).receipt(index))
  const [start, end] = [wire.indexOf('"logs":[') + '"logs":['.length, wire.indexOf('],"logsBloom"')]
  const receipt = parse(Buffer.concat([wire.subarray(0, start), wire.subarray(end)]))
  const [before, after] = JSON.stringify(outcomeJson(view, block, index, receipt)).split('"logs":[')
  yield `${separator}${before}"logs":[`
  for (let at = start; at < end; at += LOGS_AT_ONCE) {
    yield wire.latin1Slice(at, Math.min(end, at + LOGS_AT_ONCE))
  }
  yield after ?? ''
}

function outcomeJson(view: ChainView, block: StoredBlock, index: number, receipt: Members): JsonValue {
  const transaction = parse(view.wire(block).transaction(index))
  return {
    info: {
      transaction_hash: receipt['transactionHash'],
      transaction_index: index,
      from: receipt['from'],
      to: receipt['to'],
      contract_address: receipt['contractAddress'],
      traces: [],
      exit: receipt['status'] === '0x0' ? 'Revert' : 'Return',
      out: null,
      nonce: Number(transaction['nonce']),
      gas_used: Number(receipt['gasUsed']),
    },
    receipt: {
      type: receipt['type'],
      status: receipt['status'] ?? '0x1',
      cumulativeGasUsed: receipt['cumulativeGasUsed'],
      logs: receipt['logs'],
      logsBloom: receipt['logsBloom'],
    },
    block_hash: bytesToHex(block.hash),
    block_number: Number(block.header.number),
  }
}

const locationMembers: ReadonlySet<string> = new Set([
  'blockHash',
  'blockNumber',
  'blockTimestamp',
  'transactionIndex',
])

function withoutLocation(transaction: Members): Members {
  return Object.fromEntries(Object.entries(transaction).filter(([name]) => !locationMembers.has(name)))
}

function parse(wire: Uint8Array): Members {
  return JSON.parse(Buffer.from(wire).toString('utf8')) as Members
}

/** Source of a genesis. */
export interface GenesisSource {
  view: Pick<ChainView, 'chainId' | 'head'>
  schedule: ForkSchedule
  accounts: readonly GenesisAccount[]
  /** As in {@link DumpSource}. */
  signal?: AbortSignal | undefined
}

/**
 * Writes a geth genesis.json that starts from the state of `latest`: its accounts, this chain's forks and chain id, and
 * the head's time, gas limit and base fee, but no earlier blocks. Yields to other work between chunks. The chain must
 * not change meanwhile.
 */
export function writeGenesis({ view, schedule, accounts, signal }: GenesisSource): AsyncGenerator<string> {
  const { header } = view.head()
  const first = { ...header, number: 0n, parentHash: new Uint8Array(32), gasUsed: 0n }
  return textChunks(
    gethGenesisPieces({ chainId: view.chainId, schedule, genesis: { header: first, accounts } }),
    signal,
  )
}
