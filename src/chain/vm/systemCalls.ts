import type { ExecResult } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { createHash } from 'node:crypto'
import { bigintToBytes, bytesEqual, bytesToBigint, hexToBytes } from '../../encoding/hex.js'
import { checksumAddress } from '../accounts/address.js'
import { ChainError } from '../errors.js'
import { failureWords } from '../evm/failure.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { type Predeploy, SYSTEM_ADDRESS, systemContracts } from '../genesis/systemContracts.js'
import { keccak256 } from '../crypto.js'
import { NO_BYTES, slotKeyOf } from '../state/account.js'
import type { WorkingState } from '../state/workingState.js'
import type { ExecutionLog, HeaderFields } from '../types.js'

/** EIP-4788 and EIP-2935: the length of both rings. */
const HISTORY_LENGTH = 8191n
/** The gas of a system call. */
const SYSTEM_CALL_GAS = 30_000_000n
/** EIP-6110: the topic of DepositEvent. */
const DEPOSIT_TOPIC = hexToBytes('649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')
/** EIP-6110: data length of DepositEvent, and where its five fields begin and how long they are. */
const DEPOSIT_DATA_LENGTH = 576
const DEPOSIT_FIELDS: readonly (readonly [offset: number, length: number])[] = [
  [160, 48],
  [256, 32],
  [320, 8],
  [384, 96],
  [512, 8],
]

/** A system contract, told by its address and the hash of the code that its EIP publishes. */
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
/** EIP-7002 and EIP-7251: the slots of the excess, the count, and the head and tail of the queue. */
const queueSlots = [0n, 1n, 2n, 3n].map((slot) => slotKeyOf(bigintToBytes(slot, 32)))

/** A block that its system calls or its deposits make invalid, in geth's words (core/state_processor.go). */
export class SystemCallError extends ChainError {
  override readonly name = 'SystemCallError'
}

/** A request of the execution layer to the consensus layer (EIP-7685). */
export interface ConsensusRequest {
  type: number
  data: Uint8Array
}

/**
 * The system calls at the start of a block: the parent beacon block root (EIP-4788) and the parent hash (EIP-2935). A
 * contract that is absent or fails changes nothing.
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
 * Calls a contract that keeps history. What the published code does is known without running it: it writes these slots,
 * whatever they hold, so they are not even read. A call would take half the time of an empty block.
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

/** A simulation may move a precompile to the address of a contract, which does not run then. */
function hasPrecompile(evm: PooledEvm, address: Uint8Array): boolean {
  return evm.findPrecompile(address) !== undefined
}

/**
 * The slots that {@link runBlockStart} may have written in all of a chain's blocks. It does so without reading them, and nothing
 * notes their keys then.
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
 * The requests at the end of a block: deposits found in its logs (EIP-6110), then the queues of the withdrawal
 * (EIP-7002) and consolidation (EIP-7251) contracts.
 *
 * @param depositContract - 20 bytes
 * @throws SystemCallError if a deposit log has another layout than the deposit contract's, or a contract is absent or
 * fails, all of which makes the block invalid.
 */
export async function collectRequests(
  evm: PooledEvm,
  logs: Iterable<ExecutionLog>,
  depositContract: Uint8Array,
): Promise<ConsensusRequest[]> {
  if (!evm.common.isActivatedEIP(7685)) return []
  return [
    { type: 0, data: collectDeposits(logs, depositContract) },
    { type: 1, data: await readQueue(evm, withdrawalRequests, 'withdrawal') },
    { type: 2, data: await readQueue(evm, consolidationRequests, 'consolidation') },
  ]
}

/** The hash of no requests, which nearly every block of a devnet has. */
const NO_REQUESTS_HASH = Uint8Array.from(createHash('sha256').digest())

/** EIP-7685: sha256 over the sha256 of each request that is not empty, its type byte in front. */
export function hashRequests(requests: readonly ConsensusRequest[]): Uint8Array {
  if (requests.every(({ data }) => data.length === 0)) return NO_REQUESTS_HASH.slice()
  const outer = createHash('sha256')
  for (const { type, data } of requests) {
    if (data.length === 0) continue
    outer.update(createHash('sha256').update(Uint8Array.of(type)).update(data).digest())
  }
  return Uint8Array.from(outer.digest())
}

/** Calls a contract that queues requests, unless that would do nothing. @returns the requests, encoded */
async function readQueue(
  evm: PooledEvm,
  contract: SystemContract,
  queue: 'withdrawal' | 'consolidation',
): Promise<Uint8Array> {
  const { address } = contract
  if (!hasPrecompile(evm, address) && (await isIdle(evm.state, contract))) return NO_BYTES
  if ((await evm.state.readCode(address)).length === 0) {
    // A remote chain need not be a main network, and would otherwise have no next block.
    if (evm.common.isFork) return NO_BYTES
    const name = checksumAddress(address)
    throw new SystemCallError(`failed to process ${queue} queue: empty system contract: no code at ${name}`)
  }
  const { exceptionError, returnValue } = await runSystemCall(evm, address, NO_BYTES)
  if (exceptionError === undefined) return returnValue.slice()
  const words = failureWords(exceptionError)
  throw new SystemCallError(`failed to process ${queue} queue: system call failed to execute: ${words}`)
}

/**
 * Calls a contract as the system: with 30 million gas, for no fee, with nothing warm but the contract, and without
 * counting in the nonce of the caller (geth: core/state_processor.go).
 */
async function runSystemCall(evm: PooledEvm, address: Uint8Array, data: Uint8Array): Promise<ExecResult> {
  evm.frameJournal.cleanJournal()
  evm.frameJournal.warmAddress(address)
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
 * Whether a system call of a request contract would change nothing and answer nothing: its excess, its count and both
 * ends of its queue are zero, and it writes those four slots alone. Most blocks of a devnet have no request.
 */
async function isIdle(state: WorkingState, { address, codeHash }: SystemContract): Promise<boolean> {
  const account = await state.readAccount(address)
  if (account === undefined || !bytesEqual(account.codeHash, codeHash)) return false
  for (const slot of queueSlots) if ((await state.loadSlot(address, slot)).length > 0) return false
  return true
}

function collectDeposits(logs: Iterable<ExecutionLog>, depositContract: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  for (const { address, topics, data } of logs) {
    if (topics[0] === undefined || !bytesEqual(topics[0], DEPOSIT_TOPIC)) continue
    if (bytesEqual(address, depositContract)) parts.push(decodeDeposit(data))
  }
  return Uint8Array.from(Buffer.concat(parts))
}

/** The packed fields of a deposit from the ABI encoding of its event. */
function decodeDeposit(data: Uint8Array): Uint8Array {
  if (data.length !== DEPOSIT_DATA_LENGTH) {
    const lengths = `want ${DEPOSIT_DATA_LENGTH}, have ${data.length}`
    throw new SystemCallError(`unable to parse deposit data: deposit wrong length: ${lengths}`)
  }
  const word = (at: number): bigint => bytesToBigint(data.subarray(at, at + 32))
  const isSound = DEPOSIT_FIELDS.every(
    ([offset, length], i) => word(32 * i) === BigInt(offset) && word(offset) === BigInt(length),
  )
  if (!isSound) throw new SystemCallError('unable to parse deposit data: unsupported layout')
  return Uint8Array.from(
    Buffer.concat(DEPOSIT_FIELDS.map(([offset, length]) => data.subarray(offset + 32, offset + 32 + length))),
  )
}
