import { Account, Address } from '@ethereumjs/util'
import { sortInSlices } from '../../encoding/sorting.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import type { SealedBlock, StoredBlock } from '../block/record.js'
import type { Chain } from '../chain.js'
import { blockStartSlots } from '../vm/systemCalls.js'
import type { GenesisAccount } from '../genesis/ownGenesis.js'
import { loadPreimages } from '../state/stateRoot.js'
import type { WorkingState } from '../state/workingState.js'
import type { StateView } from '../types.js'

/**
 * Returns every account of the state that `latest` reads, with its storage, sorted by address. Only within the chain's
 * mutex, since it yields many times.
 *
 * @throws the reason of the signal when it is aborted
 */
export async function exportAccounts(chain: Chain, signal?: AbortSignal): Promise<GenesisAccount[]> {
  const { database, keys, states } = chain.stores
  const preimages = await loadPreimages(database, keys)
  const slice = new TimeSlice()
  // A fork records every key that it encounters; other slots would have to be fetched from its remote.
  if (states.remote === undefined) {
    for (const { address, slot } of blockStartSlots()) {
      preimages.add(address, slot)
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
  }
  const { state } = await chain.view.stateAt({ tag: 'latest' })
  const accounts: GenesisAccount[] = []
  for (const [address, slots] of preimages.entries()) {
    await slice.pause()
    signal?.throwIfAborted()
    const account = await state.getAccount(address)
    if (account === undefined) continue
    const { nonce, balance } = account
    const code = await state.getCode(address)
    accounts.push({
      address,
      nonce,
      balance,
      code,
      storage: await readSlots({ state, address, signal }, slots, slice),
    })
  }
  return runInSlices(
    sortInSlices(accounts, (a, b) => Buffer.compare(a.address, b.address)),
    slice,
  )
}

async function readSlots(
  { state, address, signal }: { state: StateView; address: Uint8Array; signal: AbortSignal | undefined },
  slots: readonly Uint8Array[],
  slice: TimeSlice,
): Promise<[slot: Uint8Array, value: Uint8Array][]> {
  const read: [slot: Uint8Array, value: Uint8Array][] = []
  for (const slot of await runInSlices(sortInSlices(slots, Buffer.compare), slice)) {
    await slice.pause()
    signal?.throwIfAborted()
    const value = await state.getStorage(address, slot)
    if (value.some((byte) => byte !== 0)) read.push([slot, value])
  }
  return read
}

/** State to import into a chain. */
export interface ImportedState {
  accounts: readonly GenesisAccount[]
  /**
   * The entire chain in ascending order, or no blocks, in which case the accounts are merged into the current chain.
   */
  blocks: readonly SealedBlock[]
}

/**
 * Imports accounts into the state that `latest` reads, replacing those with the same addresses and keeping others.
 * Blocks replace the entire chain; only the last one's state is known.
 *
 * A single write makes it effective: blocks are stored beside the chain before it, and a node that stops midway keeps
 * its chain and state.
 */
export function importState(chain: Chain, { accounts, blocks }: ImportedState): Promise<void> {
  return chain.exclusively(async () => {
    const slice = new TimeSlice()
    const edit = async (state: WorkingState): Promise<void> => {
      for (const account of accounts) await replaceAccount(state, account, slice)
    }
    let head: StoredBlock | undefined
    for (const block of blocks) {
      await slice.pause()
      head = await chain.storeForeign(block)
    }
    if (head === undefined) return chain.editState(edit)
    const commitment = await chain.draftState(edit)
    chain.moveHead(
      { block: head, workingRoot: commitment.root },
      {
        stage: (batch) => chain.stores.states.stage(batch, commitment),
        change: () => {
          chain.settings.gasLimit = head.header.gasLimit
        },
      },
    )
    await chain.commitProgress()
    chain.events.emit({ type: 'rewound', head })
  })
}

async function replaceAccount(
  state: WorkingState,
  { address, nonce, balance, code, storage }: GenesisAccount,
  slice: TimeSlice,
): Promise<void> {
  await slice.pause()
  const target = new Address(address)
  await state.deleteAccount(target)
  await state.putAccount(target, new Account(nonce, balance))
  if (code.length > 0) await state.putCode(target, code)
  for (const [slot, value] of storage) {
    await slice.pause()
    const first = value.findIndex((byte) => byte !== 0)
    if (first >= 0) await state.putStorage(target, slot, value.subarray(first))
  }
}
