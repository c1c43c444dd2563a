import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ImportedState } from '../../chain/controls/stateDump.js'
import type { GenesisAccount } from '../../chain/genesis/ownGenesis.js'
import type { ChainView } from '../../chain/view.js'
import { hexToBytes } from '../../encoding/hex.js'
import { parseJsonInSlices } from '../../encoding/slicedJson.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { StateDumpError, readPart } from './readPart.js'
import { account, anvilState, genesisAlloc, word } from './schema.js'

const decompress = promisify(gunzip)

/**
 * The state in a dump: in anvil's form, as JSON or compressed by gzip, or the accounts of a geth genesis. There are turns
 * for other work while it is read.
 *
 * @param view - tells the rules that the blocks of the dump are read under
 * @throws StateDumpError if it is none, or a block is missing
 */
export async function readDump(dump: Uint8Array, view: ChainView): Promise<ImportedState> {
  const slice = new TimeSlice()
  const json = await parseJson(dump, slice)
  const genesis = genesisAlloc.safeParse(json)
  if (genesis.success) return { accounts: await readAccounts(genesis.data.alloc, 'alloc', slice), blocks: [] }
  const state = readPart(anvilState, json, [])
  const accounts = await readAccounts(state.accounts, 'accounts', slice)
  if (state.blocks.length === 0 && state.transactions.length === 0) return { accounts, blocks: [] }
  const { readBlocks } = await import('./readBlock.js')
  return { accounts, blocks: await readBlocks(state, view, slice) }
}

async function parseJson(dump: Uint8Array, slice: TimeSlice): Promise<unknown> {
  try {
    const isCompressed = dump[0] === 0x1f && dump[1] === 0x8b
    const bytes = isCompressed ? await decompress(dump) : dump
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
    return await runInSlices(parseJsonInSlices(text), slice)
  } catch {
    throw new StateDumpError('Failed to decode state dump')
  }
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
    const { nonce, balance, code, storage } = readPart(account, value, path)
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
    slots.push([key, readPart(word, value, [...path, slot])])
  }
  return slots
}
