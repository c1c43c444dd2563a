import { generateAddress } from '@ethereumjs/util'
import { bytesToHex, minimalBytes } from '../../encoding/hex.js'
import { LargeMap } from '../../encoding/largeMap.js'
import { sortedEntries } from '../../encoding/sorting.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { MessageRejectedError, RequestTimeoutError } from '../errors.js'
import { withRollback } from '../vm/blockEnvironment.js'
import { type RunState, stackItem } from '../evm/internals.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { slotOfWord, wordToAddress } from '../evm/words.js'
import { MAX_NONCE, type SlotKey, addressKey, isSameAddress, slotKeyOf } from '../state/account.js'
import { type Message, recoverAuthority, unsignedHashOf } from '../vm/message.js'
import type { MessageResult } from '../vm/runTransaction.js'
import { type CallRequest, executeCall, withCall } from './call.js'
import type { AccessListEntry, Authorization, CallObject } from './callObject.js'

/**
 * Milliseconds within which a run must touch nothing new, as long as geth's HTTP server takes for an answer. A call
 * that derives addresses from the gas left may touch a new one in every run.
 */
const TIMEOUT = 30_000

/** Result of eth_createAccessList. */
export interface AccessListResult {
  /** Sorted by address, and by slot within each address. */
  accessList: AccessListEntry[]
  /** Gas used with this list applied, after refunds. */
  gasUsed: bigint
  /** geth's message if the call failed; a failed call still has a list. */
  error?: string
}

/**
 * Finds the access list of a call by running it with everything the last run touched, until a run touches nothing new
 * (eth_createAccessList; geth: internal/ethapi/api.go, AccessList). A call without fees runs without fees.
 *
 * @throws MessageRejectedError with geth's message if the call may not run
 * @throws RequestTimeoutError if runs still touch something new after {@link TIMEOUT}
 */
export async function createAccessList(
  request: Omit<CallRequest, 'precompileOverrides' | 'onConsole' | 'blockOverrides'>,
): Promise<AccessListResult> {
  const { call, site, stateOverrides = [], completeFees, baseFee, unfunded, requester } = request
  return withCall(
    { site, call, stateOverrides, precompileOverrides: 'none', completeFees, baseFee, unfunded, requester },
    async (evm, raw) => {
      const nonce = call.nonce ?? (await evm.state.readAccount(raw.from))?.nonce ?? 0n
      const message = { ...raw, nonce }
      const { authorizationList = [], accessList = [] } = message
      const { common: rules } = evm
      const slice = new TimeSlice()
      const authorities = await runInSlices(recoverAuthorities(authorizationList, rules.chainId()), slice)
      const excluded = excludedAddresses(evm, message, authorities)
      return completeList(evm, message, call, { excluded, given: accessList })
    },
  )
}

/** Runs the message with the list found by the previous run, until a run finds the same. */
async function completeList(
  evm: PooledEvm,
  message: Message,
  call: CallObject,
  { excluded, given }: { excluded: (address: Uint8Array) => boolean; given: readonly AccessListEntry[] },
): Promise<AccessListResult> {
  const started = performance.now()
  const slice = new TimeSlice()
  let found = new AccessTracker(excluded)
  await runInSlices(found.addAll(given), slice)
  for (;;) {
    if (performance.now() - started > TIMEOUT) throw new RequestTimeoutError()
    const accessList = await runInSlices(found.sorted(), slice)
    const tracker = new AccessTracker(excluded)
    await runInSlices(tracker.addAll(accessList), slice)
    evm.observe = (opcode, runState) => tracker.observe(opcode, runState)
    const { gasUsed, failure } = await attempt(evm, { ...message, accessList }, call)
    if (await runInSlices(tracker.equals(found), slice)) {
      return { accessList, gasUsed, ...(failure === undefined ? {} : { error: failure.message }) }
    }
    found = tracker
  }
}

/** Runs the message and reverts its changes. */
async function attempt(evm: PooledEvm, message: Message, call: CallObject): Promise<MessageResult> {
  try {
    return await withRollback(evm, () => executeCall(evm, message))
  } catch (error) {
    if (!(error instanceof MessageRejectedError)) throw error
    const hash = bytesToHex(await unsignedHashOf(call, message, evm.common))
    throw new MessageRejectedError(`failed to apply transaction: ${hash} err: ${error.message}`)
  }
}

/** Recovers the signers of the authorizations that are valid here. */
function* recoverAuthorities(
  authorizations: readonly Authorization[],
  chainId: bigint,
): Steps<readonly Uint8Array[]> {
  const authorities: Uint8Array[] = []
  for (const authorization of authorizations) {
    const authority = isValidFor(authorization, chainId) ? recoverAuthority(authorization) : undefined
    if (authority !== undefined) authorities.push(authority)
    yield
  }
  return authorities
}

/** Returns a predicate for addresses that are warm without being listed. */
function excludedAddresses(
  evm: PooledEvm,
  { from, to, nonce }: Message,
  authorities: readonly Uint8Array[],
): (address: Uint8Array) => boolean {
  const recipient = to ?? generateAddress(from, minimalBytes(nonce))
  const warm = new Set([from, recipient, ...authorities].map(addressKey))
  return (address) => warm.has(addressKey(address)) || evm.findPrecompile(address) !== undefined
}

function isValidFor({ chainId, nonce }: Authorization, ownChainId: bigint): boolean {
  return (chainId === 0n || chainId === ownChainId) && nonce < MAX_NONCE
}

const SLOAD = 0x54
const SSTORE = 0x55
/** Opcodes with an address on top of the stack: BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SELFDESTRUCT. */
const ADDRESS_ON_TOP = [0x31, 0x3b, 0x3c, 0x3f, 0xff]
/** Opcodes with an address below the gas: CALL, CALLCODE, DELEGATECALL, STATICCALL. */
const ADDRESS_BELOW_GAS = [0xf1, 0xf2, 0xf4, 0xfa]

/** Stack items with which an opcode's address counts, even if it needs more; 0 for opcodes without one. */
const leastItems = new Uint8Array(256)
for (const opcode of ADDRESS_ON_TOP) leastItems[opcode] = 1
for (const opcode of ADDRESS_BELOW_GAS) leastItems[opcode] = 5

/** An account with its touched slots. */
interface TouchedAccount {
  /** 20 bytes. */
  readonly address: Uint8Array
  /** By name; names sort like the bytes. */
  readonly slots: LargeMap<Uint8Array>
}

/**
 * Collects what an execution touches (geth: eth/tracers/logger/access_list_tracer.go). An opcode that fails counts,
 * even for lack of stack items.
 *
 * Leaves out the sender, the recipient, precompiles and authorities, which are warm anyway, unless one of their storage
 * slots was used.
 */
class AccessTracker {
  /** By the map keys of addresses, which sort like the bytes. */
  readonly #accessed = new LargeMap<TouchedAccount>()
  /** The account whose slots were used last. */
  #last: TouchedAccount | undefined
  readonly #excluded: (address: Uint8Array) => boolean

  /**
   * @param excluded - whether to leave out a 20-byte address
   */
  constructor(excluded: (address: Uint8Array) => boolean) {
    this.#excluded = excluded
  }

  /** Adds an access list, except for entries of addresses that are warm anyway. */
  *addAll(entries: readonly AccessListEntry[]): Steps<void> {
    for (const { address, storageKeys } of entries) {
      if (this.#excluded(address)) continue
      this.#account(address)
      for (const [index, slot] of storageKeys.entries()) {
        this.#addSlot(address, slotKeyOf(slot))
        if (index % ENTRIES_AT_ONCE === 0) yield
      }
      yield
    }
  }

  /** Observes an opcode before it runs. */
  observe(opcode: number, { stack, env }: RunState): void {
    if (opcode === SLOAD || opcode === SSTORE) {
      if (stack.length > 0) this.#addSlot(env.address.bytes, slotOfWord(stackItem(stack, 0)))
      return
    }
    const least = leastItems[opcode] as number
    if (least === 0 || stack.length < least) return
    const address = wordToAddress(stackItem(stack, least === 1 ? 0 : 1))
    if (!this.#excluded(address)) this.#account(address)
  }

  /** Returns what was touched, sorted by address and slot. */
  *sorted(): Steps<AccessListEntry[]> {
    const entries: AccessListEntry[] = []
    for (const { address, slots } of yield* sortedValues(this.#accessed)) {
      entries.push({ address, storageKeys: yield* sortedValues(slots) })
    }
    return entries
  }

  /** Whether another tracker has the same addresses and slots. */
  *equals(other: AccessTracker): Steps<boolean> {
    if (this.#accessed.size !== other.#accessed.size) return false
    let compared = 0
    for (const [key, { slots }] of this.#accessed) {
      const others = other.#accessed.get(key)?.slots
      if (others?.size !== slots.size) return false
      for (const [name] of slots) {
        if (others.get(name) === undefined) return false
        if (++compared % ENTRIES_AT_ONCE === 0) yield
      }
    }
    return true
  }

  #addSlot(address: Uint8Array, { bytes, name }: SlotKey): void {
    this.#account(address).slots.set(name, bytes)
  }

  #account(address: Uint8Array): TouchedAccount {
    if (this.#last !== undefined && isSameAddress(this.#last.address, address)) return this.#last
    const key = addressKey(address)
    let account = this.#accessed.get(key)
    if (account === undefined) {
      account = { address, slots: new LargeMap() }
      this.#accessed.set(key, account)
    }
    this.#last = account
    return account
  }
}

/** Entries processed between two yields. */
const ENTRIES_AT_ONCE = 512

function* sortedValues<T>(entries: Iterable<[string, T]>): Steps<T[]> {
  const values: T[] = []
  for (const [, value] of yield* sortedEntries(entries)) {
    if (values.push(value) % ENTRIES_AT_ONCE === 0) yield
  }
  return values
}
