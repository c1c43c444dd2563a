import { gunzipSync } from 'node:zlib'
import type { SealedBlock } from '../../chain/block/record.js'
import type { ImportedState } from '../../chain/controls/stateDump.js'
import type { GenesisAccount } from '../../chain/genesis.js'
import type { ChainView } from '../../chain/view.js'
import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { StateDumpError } from './errors.js'
import { outcomeKey, readBlock } from './readBlock.js'
import { anvilState, genesisAlloc, type AnvilState, type DumpedAccount } from './schema.js'

/**
 * The state in a dump: in anvil's form, as JSON or compressed by gzip, or the accounts of a geth genesis.
 *
 * @param view - tells the rules that the blocks of the dump are read under
 * @throws StateDumpError if it is none, or a block is missing
 */
export function readDump(dump: Uint8Array, view: ChainView): ImportedState {
  const json = parseJson(dump)
  const genesis = genesisAlloc.safeParse(json)
  if (genesis.success) return { accounts: readAccounts(genesis.data.alloc), blocks: [] }
  const state = anvilState.safeParse(json)
  if (!state.success) {
    const [issue] = state.error.issues
    throw new StateDumpError(
      `Failed to decode state dump: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
    )
  }
  return { accounts: readAccounts(state.data.accounts), blocks: readBlocks(state.data, view) }
}

function parseJson(dump: Uint8Array): unknown {
  try {
    const isCompressed = dump[0] === 0x1f && dump[1] === 0x8b
    return JSON.parse(Buffer.from(isCompressed ? gunzipSync(dump) : dump).toString('utf8'))
  } catch {
    throw new StateDumpError('Failed to decode state dump')
  }
}

function readAccounts(accounts: Record<string, DumpedAccount>): GenesisAccount[] {
  return Object.entries(accounts).map(([address, { nonce, balance, code, storage }]) => {
    if (!/^(0x)?[0-9a-f]{40}$/i.test(address)) {
      throw new StateDumpError(`Failed to decode state dump: ${address} is no address`)
    }
    const slots = Object.entries(storage).map(
      ([slot, value]) => [hexToBytes(slot.replace(/^0x/, '').padStart(64, '0')), value] as const,
    )
    return { address: hexToBytes(address), nonce, balance, code, storage: slots }
  })
}

function readBlocks(state: AnvilState, view: ChainView): SealedBlock[] {
  if (state.block === null || state.block === undefined || state.blocks.length === 0) return []
  const outcomes = new Map(
    state.transactions.map((outcome) => [
      outcomeKey(outcome.block_hash, outcome.info.transaction_index),
      outcome,
    ]),
  )
  const blocks = state.blocks.map((block) => readBlock(block, outcomes, view))
  const byHash = new Map(blocks.map((block) => [bytesToPlainHex(block.hash), block]))
  const best = state.best_block_number ?? state.block.number
  let block = blocks.find(({ header }) => header.number === best)
  if (block === undefined) throw new StateDumpError(`Best hash not found for best number ${best}`)
  const chain: SealedBlock[] = []
  for (; block !== undefined; block = byHash.get(bytesToPlainHex(block.header.parentHash))) chain.push(block)
  return chain.reverse()
}
