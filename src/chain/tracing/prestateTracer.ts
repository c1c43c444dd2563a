import { generateAddress } from '@ethereumjs/util'
import { bigintToBytes, bytesEqual, bytesToPlainHex, hexToBytes, minimalBytes } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { create2Address } from '../crypto.js'
import { wordToAddress } from '../evm/words.js'
import { EMPTY_CODE_HASH, NO_BYTES, padTo32 } from '../state/account.js'
import { delegationTarget, recoverAuthority } from '../vm/message.js'
import type { TraceBudget } from './budget.js'
import { callTypes, opcodes } from './opcodes.js'
import type { ExecutionTracer, Step, TracedMessage, TracedState } from './tracer.js'

/** Accounts by address: 40 lower-case hexadecimal digits. */
export type PrestateAccounts = Map<string, PrestateAccount>

const addressOnTop: ReadonlySet<number> = new Set([
  opcodes.EXTCODECOPY,
  opcodes.EXTCODEHASH,
  opcodes.EXTCODESIZE,
  opcodes.BALANCE,
  opcodes.SELFDESTRUCT,
])
/** Approximate text length of an account without its code, and of a slot. */
const ACCOUNT_BYTES = 250
const SLOT_BYTES = 137

/**
 * Collects the state that an execution touches as it was before, and in diff mode also after (geth:
 * eth/tracers/native/prestate.go).
 */
export class PrestateTracer implements ExecutionTracer {
  /** Touched accounts as they were before; in diff mode only what changed. */
  readonly pre: PrestateAccounts = new Map()
  /** Diff mode: the changes, without accounts removed by SELFDESTRUCT. */
  readonly post: PrestateAccounts = new Map()
  readonly #options: PrestateOptions
  readonly #budget: TraceBudget
  readonly #destroyed = new Set<string>()
  #message: TracedMessage | undefined

  constructor(options: PrestateOptions, budget: TraceBudget) {
    this.#options = options
    this.#budget = budget
  }

  async begin(message: TracedMessage): Promise<void> {
    this.#message = message
    const { from, to, coinbase, state, authorizations } = message
    const nonce = (await state.readAccount(from))?.nonce ?? 0n
    const recipient = to ?? generateAddress(from, minimalBytes(nonce))
    for (const address of [from, recipient, coinbase]) await this.#lookUp(address)
    await this.#lookUpDelegation(recipient)
    const slice = new TimeSlice()
    for (const authorization of authorizations) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      const authority = recoverAuthority(authorization)
      if (authority !== undefined) await this.#lookUp(authority)
    }
  }

  step({ runState, failure }: Step): Promise<void> | undefined {
    const { opCode: opcode, stack, env } = runState
    if (failure !== undefined) return undefined
    if (opcode === opcodes.SLOAD || opcode === opcodes.SSTORE) {
      return this.#lookUpSlot(env.address.bytes, stack.peek(1)[0] ?? 0n)
    }
    if (opcode === opcodes.SELFDESTRUCT) this.#destroyed.add(bytesToPlainHex(env.address.bytes))
    if (addressOnTop.has(opcode)) return this.#lookUp(wordToAddress(stack.peek(1)[0] ?? 0n))
    if (callTypes.has(opcode)) return this.#lookUpCallee(wordToAddress(stack.peek(2)[1] ?? 0n))
    if (opcode === opcodes.CREATE)
      return this.#lookUp(generateAddress(env.address.bytes, minimalBytes(env.contract.nonce)))
    if (opcode !== opcodes.CREATE2) return undefined
    const [, offset = 0n, length = 0n, salt = 0n] = stack.peek(4)
    const initcode = runState.memory.read(Number(offset), Number(length))
    return this.#lookUp(create2Address(env.address.bytes, bigintToBytes(salt, 32), initcode))
  }

  async end(): Promise<void> {
    const { diffMode = false, includeEmpty = false } = this.#options
    const slice = new TimeSlice()
    if (diffMode) await this.#compare(slice)
    if (includeEmpty) return
    for (const [key, account] of this.pre) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      if (account.isEmpty) this.pre.delete(key)
    }
  }

  /** Reduces both states to the differences, and leaves out removed accounts from the later one. */
  async #compare(slice: TimeSlice): Promise<void> {
    const { state } = this.#traced()
    for (const [key, before] of this.pre) {
      await slice.pause()
      const after = await readAccount(state, hexToBytes(key))
      if (after.isAbsent && this.#destroyed.has(key)) continue
      for (const slot of before.storage.keys()) {
        await slice.pause()
        after.storage.set(slot, await this.#readSlot(hexToBytes(key), slot))
      }
      const changed = await runInSlices(changedAccount(before, after, this.#options), slice)
      if (changed === undefined) this.pre.delete(key)
      else this.post.set(key, changed)
    }
  }

  async #lookUp(address: Uint8Array): Promise<void> {
    const key = bytesToPlainHex(address)
    if (this.pre.has(key)) return
    const account = await readAccount(this.#traced().state, address)
    if (this.#options.disableCode === true) account.code = NO_BYTES
    this.#budget.spend(ACCOUNT_BYTES + 2 * account.code.length)
    this.pre.set(key, account)
  }

  async #lookUpCallee(address: Uint8Array): Promise<void> {
    await this.#lookUp(address)
    await this.#lookUpDelegation(address)
  }

  /** EIP-7702: looks up the account whose code runs in place of the callee's. */
  async #lookUpDelegation(address: Uint8Array): Promise<void> {
    const target = delegationTarget(await this.#traced().state.readCode(address))
    if (target !== undefined) await this.#lookUp(target)
  }

  async #lookUpSlot(address: Uint8Array, slot: bigint): Promise<void> {
    if (this.#options.disableStorage === true) return
    await this.#lookUp(address)
    const storage = this.pre.get(bytesToPlainHex(address))?.storage
    const key = slot.toString(16).padStart(64, '0')
    if (storage === undefined || storage.has(key)) return
    this.#budget.spend(SLOT_BYTES)
    storage.set(key, await this.#readSlot(address, key))
  }

  async #readSlot(address: Uint8Array, slot: string): Promise<string> {
    return bytesToPlainHex(padTo32(await this.#traced().state.readStorage(address, hexToBytes(slot))))
  }

  #traced(): TracedMessage & { state: TracedState } {
    if (this.#message === undefined) throw new Error('the tracer was not shown a message yet')
    return this.#message
  }
}

/** A snapshot of an account, as far as the tracer observed it. */
export interface PrestateAccount {
  /** In wei; absent if unchanged. */
  balance?: bigint
  nonce?: bigint
  code: Uint8Array
  /** 32 bytes; absent without code. */
  codeHash?: Uint8Array
  /** Slots to values, 64 hexadecimal digits each. */
  storage: Map<string, string>
  /** Whether it has no balance, nonce or code. */
  isEmpty: boolean
  /** Whether it is absent from the state. */
  isAbsent: boolean
}

/** Reads an account from the current state, without storage. */
async function readAccount(state: TracedState, address: Uint8Array): Promise<PrestateAccount> {
  const account = await state.readAccount(address)
  const code = await state.readCode(address)
  const { balance = 0n, nonce = 0n, codeHash } = account ?? {}
  const hasCode = codeHash !== undefined && !bytesEqual(codeHash, EMPTY_CODE_HASH)
  return {
    balance,
    nonce,
    code,
    ...(hasCode && { codeHash }),
    storage: new Map(),
    isEmpty: balance === 0n && nonce === 0n && !hasCode,
    isAbsent: account === undefined,
  }
}

const ZERO_SLOT = '0'.repeat(64)
/** The code hash that geth reads for an absent account, as distinct from one without code. */
const NO_ACCOUNT_HASH = new Uint8Array(32)

/**
 * Returns the changes of an account, without slots that became zero. Removes from `before` what did not change or was
 * zero.
 *
 * @returns undefined if nothing changed
 */
function* changedAccount(
  before: PrestateAccount,
  after: PrestateAccount,
  { disableCode = false, disableStorage = false }: PrestateOptions,
): Steps<PrestateAccount | undefined> {
  const changed: PrestateAccount = {
    code: NO_BYTES,
    storage: new Map(),
    isEmpty: false,
    isAbsent: after.isAbsent,
  }
  let isChanged = false
  if (before.balance !== after.balance) {
    isChanged = true
    changed.balance = after.balance ?? 0n
  }
  if (before.nonce !== after.nonce) {
    isChanged = true
    changed.nonce = after.nonce ?? 0n
  }
  const [codeHash, newCodeHash] = [hashOf(before), after.isAbsent ? NO_ACCOUNT_HASH : hashOf(after)]
  if (!bytesEqual(codeHash, newCodeHash)) {
    isChanged = true
    changed.codeHash = newCodeHash
    if (!disableCode) changed.code = after.code
  }
  if (!disableStorage && (yield* moveSlots(before.storage, after.storage, changed.storage))) isChanged = true
  return isChanged ? changed : undefined
}

function hashOf({ codeHash }: PrestateAccount): Uint8Array {
  return codeHash ?? EMPTY_CODE_HASH
}

/**
 * @returns whether any slot changed
 */
function* moveSlots(
  before: Map<string, string>,
  after: ReadonlyMap<string, string>,
  changed: Map<string, string>,
): Steps<boolean> {
  let isChanged = false
  for (const [slot, value] of before) {
    const now = after.get(slot) ?? ZERO_SLOT
    if (now !== value) {
      isChanged = true
      if (now !== ZERO_SLOT) changed.set(slot, now)
    }
    if (now === value || value === ZERO_SLOT) before.delete(slot)
    yield
  }
  return isChanged
}

/** Options for a prestate tracer. */
export interface PrestateOptions {
  diffMode?: boolean
  disableCode?: boolean
  disableStorage?: boolean
  includeEmpty?: boolean
}
