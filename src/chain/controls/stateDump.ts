import { Account, Address } from '@ethereumjs/util'
import { bytesToHex } from '../../encoding/hex.js'
import { sortInSteps } from '../../encoding/sorting.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import type { SealedBlock, StoredBlock } from '../block/record.js'
import type { Chain } from '../chain.js'
import { ChainError } from '../errors.js'
import type { GenesisAccount } from '../genesis/ownGenesis.js'
import { stripZeros } from '../state/account.js'
import { StateRanges } from '../state/stateRange.js'
import type { WorkingState } from '../state/workingState.js'

/**
 * Returns every account of the state that `latest` reads, with its storage, sorted by address. In a fork, only what the
 * node knows of it. Only within the chain's mutex, since it yields many times.
 *
 * @throws the reason of the signal when it is aborted
 */
export async function exportAccounts(chain: Chain, signal?: AbortSignal): Promise<GenesisAccount[]> {
  const ranges = new StateRanges(chain.stores)
  const slice = new TimeSlice()
  const { state } = await chain.view.stateAt({ tag: 'latest' })
  const accounts: GenesisAccount[] = []
  for await (const { hash, address, nonce, balance, storageRoot } of ranges.allAccounts(state.root)) {
    signal?.throwIfAborted()
    if (address === undefined) throw new Error(`the address with hash ${bytesToHex(hash)} is not stored`)
    const storage: [slot: Uint8Array, value: Uint8Array][] = []
    for await (const { hash: hashedKey, key, value } of ranges.allSlots(storageRoot)) {
      signal?.throwIfAborted()
      if (key === undefined) throw new Error(`the slot with hash ${bytesToHex(hashedKey)} is not stored`)
      storage.push([key, value])
    }
    accounts.push({
      address,
      nonce,
      balance,
      // The code of an account of a fork may only be known to its remote.
      code: await state.getCode(address),
      storage: await runInSlices(
        sortInSteps(storage, ([a], [b]) => Buffer.compare(a, b)),
        slice,
      ),
    })
  }
  return runInSlices(
    sortInSteps(accounts, (a, b) => Buffer.compare(a.address, b.address)),
    slice,
  )
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
    const planned = await chain.planMove(head)
    const { base, added } = planned
    if (base !== undefined && added[0] !== undefined && added[0].header.number !== base.header.number + 1n) {
      throw new ChainError(`block ${added[0].header.number} has the parent ${base.header.number}`)
    }
    chain.moveHead(
      { block: head, workingRoot: commitment.root },
      {
        planned,
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
    const stripped = stripZeros(value)
    if (stripped.length > 0) await state.putStorage(target, slot, stripped)
  }
}
