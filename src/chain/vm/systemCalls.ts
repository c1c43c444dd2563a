import type { ExecResult } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { createHash } from 'node:crypto'
import { bigintToBytes, bytesEqual, bytesToBigint, hexToBytes } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runWithin } from '../../encoding/timeSlice.js'
import { checksumAddress } from '../accounts/address.js'
import { ChainError } from '../errors.js'
import { failureMessage } from '../evm/failure.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { type Predeploy, SYSTEM_ADDRESS, systemContracts } from '../genesis/systemContracts.js'
import { keccak256 } from '../crypto.js'
import { NO_BYTES, slotKeyOf } from '../state/account.js'
import type { WorkingState } from '../state/workingState.js'
import type { ExecutionLog, HeaderFields } from '../types.js'

/** Length of the ring buffers of EIP-4788 and EIP-2935. */
const HISTORY_LENGTH = 8191n
/** Gas limit of a system call. */
const SYSTEM_CALL_GAS = 30_000_000n
const ZERO_ADDRESS = new Uint8Array(20)
/** Topic of DepositEvent (EIP-6110). */
const DEPOSIT_TOPIC = hexToBytes('649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')
/** Data length of DepositEvent, and the offset and length of its five fields (EIP-6110). */
const DEPOSIT_DATA_LENGTH = 576
const DEPOSIT_FIELDS: readonly (readonly [offset: number, length: number])[] = [
  [160, 48],
  [256, 32],
  [320, 8],
  [384, 96],
  [512, 8],
]

/** A system contract, identified by its address and the hash of the code that its EIP publishes. */
interface SystemContract {
  /** 20 bytes. */
  address: Uint8Array
  /** 32 bytes. */
  codeHash: Uint8Array
}

function contractOf({ address, code }: Predeploy): SystemContract {
  return { address, codeHash: keccak256(code) }
}

const beaconRoots = contractOf(systemContracts.beaconRoots)
const historyStorage = contractOf(systemContracts.historyStorage)
const withdrawalRequests = contractOf(systemContracts.withdrawalRequests)
const consolidationRequests = contractOf(systemContracts.consolidationRequests)
/** Slots of the excess, the count, and the head and tail of the queue (EIP-7002 and EIP-7251). */
const queueSlots = [0n, 1n, 2n, 3n].map((slot) => slotKeyOf(bigintToBytes(slot, 32)))

/** A block that its system calls or deposits make invalid, with geth's message (core/state_processor.go). */
export class SystemCallError extends ChainError {
  override readonly name = 'SystemCallError'
}

/** A request from the execution layer to the consensus layer (EIP-7685). */
export interface ConsensusRequest {
  type: number
  data: Uint8Array
}

/**
 * Runs the system calls at the start of a block: the parent beacon block root (EIP-4788) and the parent hash
 * (EIP-2935). A contract that is absent or fails changes nothing.
 */
export async function runBlockStart(evm: PooledEvm, header: HeaderFields): Promise<void> {
  await storeBeaconRoot(evm, header)
  await storeParentHash(evm, header)
}

async function storeBeaconRoot(
  evm: PooledEvm,
  { timestamp, parentBeaconBlockRoot }: HeaderFields,
): Promise<void> {
  if (!evm.common.isActivatedEIP(4788) || parentBeaconBlockRoot === undefined) return
  const slot = timestamp % HISTORY_LENGTH
  await storeHistory(evm, beaconRoots, parentBeaconBlockRoot, [
    { key: bigintToBytes(slot, 32), value: bigintToBytes(timestamp, 32) },
    { key: bigintToBytes(slot + HISTORY_LENGTH, 32), value: parentBeaconBlockRoot },
  ])
}

async function storeParentHash(evm: PooledEvm, { number, parentHash }: HeaderFields): Promise<void> {
  if (!evm.common.isActivatedEIP(2935) || number === 0n) return
  const key = bigintToBytes((number - 1n) % HISTORY_LENGTH, 32)
  await storeHistory(evm, historyStorage, parentHash, [{ key, value: parentHash }])
}

/**
 * Calls a contract that stores history. The published code always writes these slots, whatever they hold, so they are
 * written directly, without even reading them. A real call would take half the time of an empty block.
 */
async function storeHistory(
  evm: PooledEvm,
  { address, codeHash }: SystemContract,
  data: Uint8Array,
  slots: readonly { key: Uint8Array; value: Uint8Array }[],
): Promise<void> {
  const { state } = evm
  const account = await state.readAccount(address)
  if (account === undefined) return
  const runsPublishedCode = bytesEqual(account.codeHash, codeHash) && !hasPrecompile(evm, address)
  if (runsPublishedCode) await state.overwriteStorage(address, slots)
  else await runSystemCall(evm, address, data)
}

/** Whether a precompile shadows the contract, since a simulation may move one to its address. */
function hasPrecompile(evm: PooledEvm, address: Uint8Array): boolean {
  return evm.findPrecompile(address) !== undefined
}

/**
 * Iterates over all slots that {@link runBlockStart} may have written in any block of a chain. It writes them without
 * reading, so their keys are recorded nowhere else.
 */
export function* blockStartSlots(): Iterable<{ address: Uint8Array; slot: Uint8Array }> {
  for (let slot = 0n; slot < 2n * HISTORY_LENGTH; slot++) {
    yield { address: systemContracts.beaconRoots.address, slot: bigintToBytes(slot, 32) }
  }
  for (let slot = 0n; slot < HISTORY_LENGTH; slot++) {
    yield { address: systemContracts.historyStorage.address, slot: bigintToBytes(slot, 32) }
  }
}

/**
 * Collects the requests at the end of a block: deposits from its logs (EIP-6110), then the queues of the withdrawal
 * (EIP-7002) and consolidation (EIP-7251) contracts.
 *
 * @param depositContract - 20 bytes
 * @throws SystemCallError if a deposit log has an unexpected layout, or a contract is absent or fails; each makes the
 *   block invalid
 */
export async function collectRequests(
  evm: PooledEvm,
  logs: Iterable<ExecutionLog>,
  depositContract: Uint8Array,
): Promise<ConsensusRequest[]> {
  if (!evm.common.isActivatedEIP(7685)) return []
  return [
    { type: 0, data: await runWithin(collectDeposits(logs, depositContract), new TimeSlice()) },
    { type: 1, data: await readQueue(evm, withdrawalRequests, 'withdrawal') },
    { type: 2, data: await readQueue(evm, consolidationRequests, 'consolidation') },
  ]
}

/** The hash of an empty request list, which nearly every block of a devnet has. */
const NO_REQUESTS_HASH = Uint8Array.from(createHash('sha256').digest())

/** Hashes requests: sha256 over the sha256 of each non-empty request, prefixed by its type byte (EIP-7685). */
export function hashRequests(requests: readonly ConsensusRequest[]): Uint8Array {
  if (requests.every(({ data }) => data.length === 0)) return NO_REQUESTS_HASH.slice()
  const outer = createHash('sha256')
  for (const { type, data } of requests) {
    if (data.length === 0) continue
    outer.update(createHash('sha256').update(Uint8Array.of(type)).update(data).digest())
  }
  return Uint8Array.from(outer.digest())
}

/** Calls a contract that queues requests, unless the call would do nothing. @returns the encoded requests */
async function readQueue(
  evm: PooledEvm,
  contract: SystemContract,
  queue: 'withdrawal' | 'consolidation',
): Promise<Uint8Array> {
  const { address } = contract
  if ((await evm.state.readCode(address)).length === 0) {
    // A remote chain need not be mainnet. Without this exception it could have no next block.
    if (evm.common.isFork) return NO_BYTES
    const name = checksumAddress(address)
    throw new SystemCallError(`failed to process ${queue} queue: empty system contract: no code at ${name}`)
  }
  if (!hasPrecompile(evm, address) && (await isIdle(evm.state, contract))) return NO_BYTES
  const { exceptionError, returnValue } = await runSystemCall(evm, address, NO_BYTES)
  if (exceptionError === undefined) return returnValue.slice()
  const message = failureMessage(exceptionError)
  throw new SystemCallError(`failed to process ${queue} queue: system call failed to execute: ${message}`)
}

/**
 * Calls a contract as the system: 30 million gas, no fee and no increment of the caller's nonce. Only the contract is
 * warm and, as in geth, the zero address (core/state_processor.go).
 */
async function runSystemCall(evm: PooledEvm, address: Uint8Array, data: Uint8Array): Promise<ExecResult> {
  evm.frameJournal.cleanJournal()
  evm.frameJournal.warmAddress(address)
  evm.frameJournal.warmAddress(ZERO_ADDRESS)
  const { execResult } = await evm.runCall({
    caller: new Address(SYSTEM_ADDRESS),
    to: new Address(address),
    data,
    gasLimit: SYSTEM_CALL_GAS,
    skipNonceIncrement: true,
  })
  await evm.journal.cleanup()
  evm.stateManager.originalStorageCache.clear()
  return execResult
}

/**
 * Whether a system call to a request contract would change and return nothing: its excess, its count and both ends of
 * its queue are zero, and it writes only those four slots. True for most blocks of a devnet.
 */
async function isIdle(state: WorkingState, { address, codeHash }: SystemContract): Promise<boolean> {
  const account = await state.readAccount(address)
  if (account === undefined || !bytesEqual(account.codeHash, codeHash)) return false
  for (const slot of queueSlots) if ((await state.loadSlot(address, slot)).length > 0) return false
  return true
}

/** Logs that are looked at in one step. */
const LOGS_AT_ONCE = 1024

function* collectDeposits(logs: Iterable<ExecutionLog>, depositContract: Uint8Array): Steps<Uint8Array> {
  const parts: Uint8Array[] = []
  let seen = 0
  for (const { address, topics, data } of logs) {
    if (++seen % LOGS_AT_ONCE === 0) yield
    if (topics[0] === undefined || !bytesEqual(topics[0], DEPOSIT_TOPIC)) continue
    if (bytesEqual(address, depositContract)) parts.push(decodeDeposit(data))
  }
  return Uint8Array.from(Buffer.concat(parts))
}

/** Packs the fields of a deposit from the ABI encoding of its event. */
function decodeDeposit(data: Uint8Array): Uint8Array {
  if (data.length !== DEPOSIT_DATA_LENGTH) {
    const lengths = `want ${DEPOSIT_DATA_LENGTH}, have ${data.length}`
    throw new SystemCallError(`unable to parse deposit data: deposit wrong length: ${lengths}`)
  }
  const word = (at: number): bigint => bytesToBigint(data.subarray(at, at + 32))
  const isValid = DEPOSIT_FIELDS.every(
    ([offset, length], i) => word(32 * i) === BigInt(offset) && word(offset) === BigInt(length),
  )
  if (!isValid) throw new SystemCallError('unable to parse deposit data: unsupported layout')
  return Uint8Array.from(
    Buffer.concat(DEPOSIT_FIELDS.map(([offset, length]) => data.subarray(offset + 32, offset + 32 + length))),
  )
}
