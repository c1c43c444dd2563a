import { Address } from '@ethereumjs/util'
import { createHash } from 'node:crypto'
import { bytesEqual, bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { bigintToBytes, bytesToBigint } from '../../encoding/quantity.js'
import { keccak256 } from '../keccak.js'
import { SYSTEM_ADDRESS, systemContracts, type Predeploy } from '../genesis/systemContracts.js'
import { NO_BYTES } from '../state/account.js'
import { slotKeyOf } from '../state/slotKey.js'
import { whenReady } from '../state/whenReady.js'
import type { WorkingState } from '../state/workingState.js'
import type { Awaitable, ExecutionLog, ForkRules, HeaderFields } from '../types.js'
import type { PooledEvm } from './pooledEvm.js'

/** EIP-4788 and EIP-2935: the length of both rings. */
const HISTORY_LENGTH = 8191n
/** EIP-7002 and EIP-7251: the gas of a system call. */
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

/** A contract that queues requests, told by its address and the hash of the code that its EIP publishes. */
interface RequestContract {
  /** 20 bytes. */
  address: Uint8Array
  /** 32 bytes. */
  codeHash: Uint8Array
}

function requestContract({ address, code }: Predeploy): RequestContract {
  return { address, codeHash: keccak256(code) }
}

const withdrawalRequests = requestContract(systemContracts.withdrawalRequests)
const consolidationRequests = requestContract(systemContracts.consolidationRequests)
/** EIP-7002 and EIP-7251: the slots of the excess, the count, and the head and tail of the queue. */
const queueSlots = [0n, 1n, 2n, 3n].map((slot) => slotKeyOf(bigintToBytes(slot, 32)))

/** A request of the execution layer to the consensus layer (EIP-7685). */
export interface ConsensusRequest {
  type: number
  data: Uint8Array
}

/**
 * What the system writes at the start of a block: the parent beacon block root (EIP-4788) and the parent hash
 * (EIP-2935). The contracts store into their rings at known slots, so the slots are written without a call.
 */
export function writeBlockStart(
  state: WorkingState,
  header: HeaderFields,
  rules: ForkRules,
): Awaitable<void> {
  return whenReady(writeBeaconRoot(state, header, rules), () => writeParentHash(state, header, rules))
}

function writeBeaconRoot(
  state: WorkingState,
  { timestamp, parentBeaconBlockRoot }: HeaderFields,
  rules: ForkRules,
): Awaitable<void> {
  if (!rules.isActivatedEIP(4788) || parentBeaconBlockRoot === undefined) return
  const slot = timestamp % HISTORY_LENGTH
  return store(state, systemContracts.beaconRoots, [
    { key: bigintToBytes(slot, 32), value: bigintToBytes(timestamp, 32) },
    { key: bigintToBytes(slot + HISTORY_LENGTH, 32), value: parentBeaconBlockRoot },
  ])
}

function writeParentHash(
  state: WorkingState,
  { number, parentHash }: HeaderFields,
  rules: ForkRules,
): Awaitable<void> {
  if (!rules.isActivatedEIP(2935) || number === 0n) return
  const key = bigintToBytes((number - 1n) % HISTORY_LENGTH, 32)
  return store(state, systemContracts.historyStorage, [{ key, value: parentHash }])
}

/**
 * The slots that {@link writeBlockStart} may have written in all of a chain's blocks. It does so unread, and nobody
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

/** Writes slots of a contract if it is there. What they hold does not matter and is not read. */
function store(
  state: WorkingState,
  { address }: Predeploy,
  slots: readonly { key: Uint8Array; value: Uint8Array }[],
): Awaitable<void> {
  return whenReady(state.readCode(address), (code) =>
    code.length === 0 ? undefined : state.overwriteStorage(address, slots),
  )
}

/**
 * The requests at the end of a block: deposits found in its logs (EIP-6110), then the queues of the withdrawal
 * (EIP-7002) and consolidation (EIP-7251) contracts.
 *
 * @param depositContract - 20 bytes
 * @throws Error if a deposit log has another layout than the deposit contract's, which makes the block invalid.
 */
export function collectRequests(
  evm: PooledEvm,
  rules: ForkRules,
  logs: Iterable<ExecutionLog>,
  depositContract: Uint8Array,
): Awaitable<ConsensusRequest[]> {
  if (!rules.isActivatedEIP(7685)) return []
  return whenReady(callSystemContract(evm, withdrawalRequests), (withdrawals) =>
    whenReady(callSystemContract(evm, consolidationRequests), (consolidations) => [
      { type: 0, data: collectDeposits(logs, depositContract) },
      { type: 1, data: withdrawals },
      { type: 2, data: consolidations },
    ]),
  )
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

/** Calls a system contract unless the call would do nothing. */
function callSystemContract(evm: PooledEvm, contract: RequestContract): Awaitable<Uint8Array> {
  return whenReady(isIdle(evm.state, contract), (idle) => (idle ? NO_BYTES : runSystemCall(evm, contract)))
}

/** Calls a contract as the system, whose own account the call must not leave a trace of. */
async function runSystemCall(evm: PooledEvm, { address }: RequestContract): Promise<Uint8Array> {
  const to = new Address(address)
  if ((await evm.stateManager.getAccount(to)) === undefined) return NO_BYTES
  const caller = new Address(SYSTEM_ADDRESS)
  const before = await evm.stateManager.getAccount(caller)
  const result = await evm.runCall({ caller, to, gasLimit: SYSTEM_CALL_GAS })
  if (before === undefined) await evm.stateManager.deleteAccount(caller)
  else await evm.stateManager.putAccount(caller, before)
  await evm.journal.cleanup()
  evm.stateManager.originalStorageCache.clear()
  return result.execResult.returnValue
}

/**
 * Whether a system call of a request contract would change nothing and answer nothing: its excess, its count and both
 * ends of its queue are zero, and it writes those four slots alone. Most blocks of a devnet have no request.
 */
function isIdle(state: WorkingState, { address, codeHash }: RequestContract): Awaitable<boolean> {
  return whenReady(
    state.readAccount(address),
    (account) =>
      account !== undefined && bytesEqual(account.codeHash, codeHash) && areZero(state, address, 0),
  )
}

/** Whether the queue slots of a contract are zero, from the one at an index on. */
function areZero(state: WorkingState, address: Uint8Array, index: number): Awaitable<boolean> {
  for (let at = index; at < queueSlots.length; at++) {
    const value = state.loadSlot(address, queueSlots[at]!)
    if (value instanceof Promise) {
      return value.then((bytes) => bytes.length === 0 && areZero(state, address, at + 1))
    }
    if (value.length > 0) return false
  }
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
  const word = (at: number): bigint => bytesToBigint(data.subarray(at, at + 32))
  const sound =
    data.length === DEPOSIT_DATA_LENGTH &&
    DEPOSIT_FIELDS.every(
      ([offset, length], i) => word(32 * i) === BigInt(offset) && word(offset) === BigInt(length),
    )
  if (!sound) throw new Error(`invalid deposit log: unsupported data layout ${bytesToHex(data)}`)
  return Uint8Array.from(
    Buffer.concat(DEPOSIT_FIELDS.map(([offset, length]) => data.subarray(offset + 32, offset + 32 + length))),
  )
}
