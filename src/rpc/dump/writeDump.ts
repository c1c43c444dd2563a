import type { StoredBlock } from '../../chain/block/record.js'
import type { GenesisAccount } from '../../chain/genesis.js'
import type { ChainView } from '../../chain/view.js'
import { bytesToHex } from '../../encoding/hex.js'
import { quantity } from '../../encoding/quantity.js'
import { headerMembers } from '../format/header.js'
import type { JsonValue } from '../json.js'

type Members = Record<string, JsonValue>

/** What a dump is made of. */
export interface DumpSource {
  view: ChainView
  accounts: readonly GenesisAccount[]
}

/** The state with its blocks and transactions as anvil_dumpState has it; past states are not in it. */
export function writeDump({ view, accounts }: DumpSource): JsonValue {
  const blocks = [...canonicalBlocks(view)]
  const { header } = view.head()
  return {
    block: {
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
    },
    accounts: Object.fromEntries(accounts.map((account) => [bytesToHex(account.address), toJson(account)])),
    best_block_number: Number(header.number),
    blocks: blocks.map((block) => blockJson(view, block)),
    transactions: blocks.flatMap((block) => outcomesJson(view, block)),
    historical_states: null,
  }
}

function* canonicalBlocks(view: ChainView): Iterable<StoredBlock> {
  const first = view.resolve({ tag: 'earliest' })?.header.number ?? 0n
  for (let number = first; number <= view.head().header.number; number++) {
    const block = view.blockByNumber(number)
    if (block !== undefined) yield block
  }
}

function toJson({ nonce, balance, code, storage }: GenesisAccount): JsonValue {
  return {
    nonce: Number(nonce),
    balance: quantity(balance),
    code: bytesToHex(code),
    storage: Object.fromEntries(storage.map(([slot, value]) => [bytesToHex(slot), bytesToHex(value)])),
  }
}

function blockJson(view: ChainView, block: StoredBlock): JsonValue {
  const { hash: _, ...header } = JSON.parse(`${headerMembers(block.hash, block.header)}}`) as Members
  return {
    header,
    transactions: block.transactions.map(({ impersonated, sender }, index) => ({
      transaction: withoutPlace(parse(view.transactionWire(block, index))),
      impersonated_sender: impersonated ? bytesToHex(sender) : null,
    })),
    ommers: [],
    withdrawals: block.header.withdrawalsRoot === undefined ? null : [],
  }
}

function outcomesJson(view: ChainView, block: StoredBlock): JsonValue[] {
  return block.transactions.map((_, index) => {
    const receipt = parse(view.receiptWire(block, index))
    const transaction = parse(view.transactionWire(block, index))
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
  })
}

const placeMembers: ReadonlySet<string> = new Set([
  'blockHash',
  'blockNumber',
  'blockTimestamp',
  'transactionIndex',
])

function withoutPlace(transaction: Members): Members {
  return Object.fromEntries(Object.entries(transaction).filter(([name]) => !placeMembers.has(name)))
}

function parse(wire: Uint8Array): Members {
  return JSON.parse(Buffer.from(wire).toString('utf8')) as Members
}
