import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type * as z from 'zod'
import type { SealedBlock } from '../../chain/block/record.js'
import type { ImportedState } from '../../chain/controls/stateDump.js'
import type { GenesisAccount } from '../../chain/genesis.js'
import type { ChainView } from '../../chain/view.js'
import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { StateDumpError } from './errors.js'
import { outcomeKey, readBlock } from './readBlock.js'
import {
  account,
  anvilState,
  block,
  genesisAlloc,
  outcome,
  word,
  type AnvilState,
  type DumpedOutcome,
} from './schema.js'

const decompress = promisify(gunzip)

/**
 * The state in a dump: in anvil's form, as JSON or compressed by gzip, or the accounts of a geth genesis. There are turns
 * for other work while it is read.
 *
 * @param view - tells the rules that the blocks of the dump are read under
 * @throws StateDumpError if it is none, or a block is missing
 */
export async function readDump(dump: Uint8Array, view: ChainView): Promise<ImportedState> {
  const json = await parseJson(dump)
  const slice = new TimeSlice()
  const genesis = genesisAlloc.safeParse(json)
  if (genesis.success) return { accounts: await readAccounts(genesis.data.alloc, 'alloc', slice), blocks: [] }
  const state = read(anvilState, json, [])
  const accounts = await readAccounts(state.accounts, 'accounts', slice)
  return { accounts, blocks: await readBlocks(state, view, slice) }
}

async function parseJson(dump: Uint8Array): Promise<unknown> {
  try {
    const isCompressed = dump[0] === 0x1f && dump[1] === 0x8b
    return JSON.parse(Buffer.from(isCompressed ? await decompress(dump) : dump).toString('utf8'))
  } catch {
    throw new StateDumpError('Failed to decode state dump')
  }
}

/** Reads a part of a dump; `path` tells where it stands. */
function read<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: readonly PropertyKey[],
): z.output<Schema> {
  const found = schema.safeParse(value)
  if (found.success) return found.data
  const [issue] = found.error.issues
  const place = [...path, ...(issue?.path ?? [])].join('.')
  throw new StateDumpError(`Failed to decode state dump: ${place} ${issue?.message ?? ''}`)
}

async function readAccounts(
  accounts: Record<string, unknown>,
  member: string,
  slice: TimeSlice,
): Promise<GenesisAccount[]> {
  const all: GenesisAccount[] = []
  for (const [address, value] of Object.entries(accounts)) {
    await slice.pause()
    const path = [member, address]
    const { nonce, balance, code, storage } = read(account, value, path)
    if (!/^(0x)?[0-9a-f]{40}$/i.test(address)) {
      throw new StateDumpError(`Failed to decode state dump: ${address} is no address`)
    }
    const slots = await readSlots(storage, [...path, 'storage'], slice)
    all.push({ address: hexToBytes(address), nonce, balance, code, storage: slots })
  }
  return all
}

async function readSlots(
  storage: Record<string, unknown>,
  path: readonly string[],
  slice: TimeSlice,
): Promise<GenesisAccount['storage']> {
  const slots: [slot: Uint8Array, value: Uint8Array][] = []
  for (const [slot, value] of Object.entries(storage)) {
    await slice.pause()
    const key = hexToBytes(slot.replace(/^0x/, '').padStart(64, '0'))
    slots.push([key, read(word, value, [...path, slot])])
  }
  return slots
}

async function readOutcomes(state: AnvilState, slice: TimeSlice): Promise<Map<string, DumpedOutcome>> {
  const outcomes = new Map<string, DumpedOutcome>()
  for (const [index, value] of state.transactions.entries()) {
    await slice.pause()
    const dumped = read(outcome, value, ['transactions', index])
    outcomes.set(outcomeKey(dumped.block_hash, dumped.info.transaction_index), dumped)
  }
  return outcomes
}

async function readBlocks(state: AnvilState, view: ChainView, slice: TimeSlice): Promise<SealedBlock[]> {
  const outcomes = await readOutcomes(state, slice)
  const byHash = new Map<string, SealedBlock>()
  const blocks: SealedBlock[] = []
  for (const [index, value] of state.blocks.entries()) {
    await slice.pause()
    const sealed = readBlock(read(block, value, ['blocks', index]), outcomes, view)
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
