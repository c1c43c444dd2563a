import { generateAddress } from '@ethereumjs/util'
import { bytesToHex, minimalBytes } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices, sortInSlices } from '../../encoding/timeSlice.js'
import { ChainError, MessageRejectedError } from '../errors.js'
import { withRollback } from '../vm/blockEnvironment.js'
import { type RunState, stackItem } from '../evm/internals.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { slotOfWord, wordToAddress } from '../evm/words.js'
import { type SlotKey, addressKey, isSameAddress, slotKeyOf } from '../state/account.js'
import { type Message, recoverAuthority, unsignedHashOf } from '../vm/message.js'
import type { MessageResult } from '../vm/runTransaction.js'
import { type CallRequest, executeCall, withCall } from './call.js'
import type { AccessListEntry, Authorization, CallObject } from './callObject.js'

const MAX_NONCE = 2n ** 64n - 1n

/** What eth_createAccessList found out. */
export interface AccessListResult {
  /** Sorted by address, the slots within one address sorted too. */
  accessList: AccessListEntry[]
  /** Gas with this list applied, after refunds. */
  gasUsed: bigint
  /** How the call failed, in geth's words; a failed call has a list all the same. */
  error?: string
}

/**
 * The access list that a call would use, found by running it with what the last run touched until nothing is new
 * (eth_createAccessList; geth: internal/ethapi/api.go, AccessList). A call without fees runs without fees.
 *
 * @throws ChainError or MessageRejectedError, in geth's words, if the call may not run.
 */
export async function createAccessList(
  request: Pick<CallRequest, 'site' | 'call' | 'stateOverrides' | 'completeFees' | 'baseFee' | 'unfunded'>,
): Promise<AccessListResult> {
  const { call, site, stateOverrides = [], completeFees, baseFee, unfunded } = request
  return withCall(
    { site, call, stateOverrides, precompileOverrides: 'none', completeFees, baseFee, unfunded },
    async (evm, raw) => {
      const nonce = call.nonce ?? (await evm.state.readAccount(raw.from))?.nonce ?? 0n
      const message = { ...raw, nonce }
      const { authorizationList = [], accessList = [], gasLimit } = message
      const { common: rules } = evm
      if (
        authorizationList.length > 0 &&
        BigInt(authorizationList.length) * rules.param('perEmptyAccountCost') > gasLimit
      ) {
        throw new ChainError('insufficient gas to process all authorizations')
      }
      const slice = new TimeSlice()
      const authorities = await runInSlices(recoverAuthorities(authorizationList, rules.chainId()), slice)
      const excluded = excludedAddresses(evm, message, authorities)
      const tracker = new AccessTracker(excluded)
      const given = accessList.filter(({ address }) => !excluded(address))
      await runInSlices(tracker.addAll(given), slice)
      return completeList(evm, message, call, tracker)
    },
  )
}

/** Runs the message with what is known to be touched, and again with what that touched, until nothing is new. */
async function completeList(
  evm: PooledEvm,
  message: Message,
  call: CallObject,
  tracker: AccessTracker,
): Promise<AccessListResult> {
  evm.observe = (opcode, runState) => tracker.observe(opcode, runState)
  for (;;) {
    const known = tracker.size()
    const accessList = await runInSlices(tracker.sorted(), new TimeSlice())
    const { gasUsed, failure } = await attempt(evm, { ...message, accessList }, call)
    if (tracker.size() !== known) continue
    return { accessList, gasUsed, ...(failure === undefined ? {} : { error: failure.words }) }
  }
}

/** Runs the message and takes its changes back. */
async function attempt(evm: PooledEvm, message: Message, call: CallObject): Promise<MessageResult> {
  try {
    return await withRollback(evm, () => executeCall(evm, message))
  } catch (error) {
    if (!(error instanceof MessageRejectedError)) throw error
    const hash = bytesToHex(await unsignedHashOf(call, message, evm.common))
    throw new MessageRejectedError(`failed to apply transaction: ${hash} err: ${error.message}`)
  }
}

/** Who signed authorizations that are valid here. */
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

/** Whether an address is warm without a list. */
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

/** By the opcode: how many items of the stack it takes to reach its address; 0 for those without one. */
const addressReach = new Uint8Array(256)
for (const opcode of ADDRESS_ON_TOP) addressReach[opcode] = 1
for (const opcode of ADDRESS_BELOW_GAS) addressReach[opcode] = 2

/** What was touched of one account. */
interface TouchedAccount {
  /** 20 bytes. */
  readonly address: Uint8Array
  /** By their names, which sort as their bytes do. */
  readonly slots: Map<string, Uint8Array>
}

/**
 * Collects what an execution touches (geth: eth/tracers/logger/access_list_tracer.go).
 *
 * The sender, the recipient, precompiles and authorities are warm anyway and left out; one of them is listed all the
 * same if a storage slot of it was used.
 */
export class AccessTracker {
  /** By map keys of addresses, which sort as their bytes do. */
  readonly #accessed = new Map<string, TouchedAccount>()
  /** Whose slots were used last. */
  #last: TouchedAccount | undefined
  readonly #excluded: (address: Uint8Array) => boolean

  /** @param excluded - whether a 20-byte address is left out */
  constructor(excluded: (address: Uint8Array) => boolean) {
    this.#excluded = excluded
  }

  /** Takes what is listed from the beginning. */
  *addAll(entries: readonly AccessListEntry[]): Steps<void> {
    for (const { address, storageKeys } of entries) {
      this.#addAddress(address)
      for (const [index, slot] of storageKeys.entries()) {
        this.#addSlot(address, slotKeyOf(slot))
        if (index % ENTRIES_AT_ONCE === 0) yield
      }
      yield
    }
  }

  /** Sees an opcode before it runs; one that the fork does not have may find too little on the stack. */
  observe(opcode: number, { stack, env }: RunState): void {
    if (opcode === SLOAD || opcode === SSTORE) {
      this.#addSlot(env.address.bytes, slotOfWord(stackItem(stack, 0)))
      return
    }
    const reach = addressReach[opcode] as number
    if (reach > 0 && stack.length >= reach) this.#addAddress(wordToAddress(stackItem(stack, reach - 1)))
  }

  /** What was touched, sorted by address and slot. */
  *sorted(): Steps<AccessListEntry[]> {
    const entries: AccessListEntry[] = []
    for (const { address, slots } of yield* sortedValues(this.#accessed)) {
      entries.push({ address, storageKeys: yield* sortedValues(slots) })
    }
    return entries
  }

  /** How many addresses and slots were touched; a list only ever grows. */
  size(): number {
    let size = this.#accessed.size
    for (const { slots } of this.#accessed.values()) size += slots.size
    return size
  }

  #addAddress(address: Uint8Array): void {
    if (!this.#excluded(address)) this.#account(address)
  }

  #addSlot(address: Uint8Array, { bytes, name }: SlotKey): void {
    this.#account(address).slots.set(name, bytes)
  }

  #account(address: Uint8Array): TouchedAccount {
    if (this.#last !== undefined && isSameAddress(this.#last.address, address)) return this.#last
    const key = addressKey(address)
    let account = this.#accessed.get(key)
    if (account === undefined) {
      account = { address, slots: new Map() }
      this.#accessed.set(key, account)
    }
    this.#last = account
    return account
  }
}

/** Entries that are noted at once. */
const ENTRIES_AT_ONCE = 512

function* sortedValues<T>(entries: ReadonlyMap<string, T>): Steps<T[]> {
  const sorted = yield* sortInSlices([...entries], ([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([, value]) => value)
}
