import type { Awaitable } from '../../encoding/timeSlice.js'
import { Account, Address } from '@ethereumjs/util'
import { MAX_UINT256 } from '../../encoding/bigints.js'
import { bigintToBytes, bytesToBigint } from '../../encoding/hex.js'
import type { Chain } from '../chain.js'
import { ChainError, ExecutionFailedError, ExecutionRevertedError } from '../errors.js'
import type { AccessListEntry } from '../calls/callObject.js'
import type { MessageExecutor } from '../calls/executor.js'
import { stripZeros } from '../state/account.js'
import type { WorkingState } from '../state/workingState.js'

/** The chain whose state is edited. */
export type EditableChain = Pick<Chain, 'exclusively' | 'editState'>

/** Sets the balance of a 20-byte address in wei. */
export function setBalance(chain: EditableChain, address: Uint8Array, balance: bigint): Promise<void> {
  return edit(chain, (state) => changeAccount(state, address, () => ({ balance })))
}

/** Adds wei to a balance, which saturates at the maximum, like anvil. */
export function addBalance(chain: EditableChain, address: Uint8Array, wei: bigint): Promise<void> {
  return edit(chain, (state) =>
    changeAccount(state, address, ({ balance }) => {
      const sum = balance + wei
      return { balance: sum > MAX_UINT256 ? MAX_UINT256 : sum }
    }),
  )
}

/** Sets the next nonce of a 20-byte address; it may decrease. */
export function setNonce(chain: EditableChain, address: Uint8Array, nonce: bigint): Promise<void> {
  return edit(chain, (state) => changeAccount(state, address, () => ({ nonce })))
}

/** Maximum bytes of code, which are hashed and written in one step. */
const MAX_CODE_LENGTH = 8 * 1024 * 1024

/**
 * Sets the runtime code of a 20-byte address; empty code removes it.
 *
 * @throws ChainError if the code is too long
 */
export async function setCode(chain: EditableChain, address: Uint8Array, code: Uint8Array): Promise<void> {
  if (code.length > MAX_CODE_LENGTH) {
    throw new ChainError(`the code is longer than ${MAX_CODE_LENGTH} bytes`)
  }
  return edit(chain, (state) => state.putCode(new Address(address), code))
}

/** Sets a 32-byte slot of a 20-byte address to a 32-byte value. */
export function setStorage(
  chain: EditableChain,
  address: Uint8Array,
  slot: Uint8Array,
  value: Uint8Array,
): Promise<void> {
  return edit(chain, async (state) => {
    const target = new Address(address)
    if ((await state.getAccount(target)) === undefined) await state.putAccount(target, new Account())
    await state.writeStorage(address, slot, stripZeros(value))
  })
}

function edit(chain: EditableChain, change: (state: WorkingState) => Promise<void>): Promise<void> {
  return chain.exclusively(() => chain.editState(change))
}

type AccountNumbers = Pick<Account, 'balance' | 'nonce'>

async function changeAccount(
  state: WorkingState,
  address: Uint8Array,
  change: (account: AccountNumbers) => Partial<AccountNumbers>,
): Promise<void> {
  const target = new Address(address)
  const account = await state.getAccount(target)
  const { balance, nonce } = account ?? new Account()
  const changed = { balance, nonce, ...change({ balance, nonce }) }
  // An empty account does not exist (EIP-161).
  if (account === undefined && changed.balance === 0n && changed.nonce === 0n) return
  await state.modifyAccountFields(target, changed)
}

/** A read-only call to a 20-byte contract, with its encoded arguments. */
export interface ReadingCall {
  to: Uint8Array
  data: Uint8Array
}

/** The parts that {@link setCallResult} works with. */
export interface CallResultParts {
  chain: Chain
  executor: Pick<MessageExecutor, 'call' | 'createAccessList'>
}

/** Gas of each call. */
const READING_GAS = 30_000_000n
/** Maximum number of slots to try, each with a call. A contract may read a slot for every 2,100 gas. */
const MAX_SLOTS = 64

/**
 * Makes a read-only call, such as `balanceOf` of a token, return a number: tries the number in each slot that the call
 * reads, and sets the slot that makes the call return it.
 *
 * @returns false if none of the first slots does
 */
export async function setCallResult(
  { chain, executor }: CallResultParts,
  call: ReadingCall,
  value: bigint,
): Promise<boolean> {
  const block = { tag: 'latest' as const }
  const request = { view: chain.view, block, call: { ...call, gas: READING_GAS } }
  const word = bigintToBytes(value, 32)
  const { accessList } = await executor.createAccessList(request)
  let tried = 0
  for (const { address, slot } of slotsOf(accessList)) {
    if (++tried > MAX_SLOTS) return false
    const stateOverrides = [{ address, stateDiff: [{ slot, value: word }] }]
    const result = await resultOf(() => executor.call({ ...request, stateOverrides }))
    if (result?.length !== 32 || bytesToBigint(result) !== value) continue
    await setStorage(chain, address, slot, word)
    return true
  }
  return false
}

function* slotsOf(list: readonly AccessListEntry[]): Iterable<{ address: Uint8Array; slot: Uint8Array }> {
  for (const { address, storageKeys } of list) for (const slot of storageKeys) yield { address, slot }
}

/** Returns the output of a call; undefined if it fails. */
async function resultOf(call: () => Awaitable<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ExecutionRevertedError || error instanceof ExecutionFailedError) return undefined
    throw error
  }
}
