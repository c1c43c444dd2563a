import type { Block } from '@ethereumjs/block'
import type { StateManagerInterface } from '@ethereumjs/common'
import { EVMError, type EVMResult, type ExecResult } from '@ethereumjs/evm'
import { Address, EthereumJSError } from '@ethereumjs/util'
import { type RunTxResult, runTx } from '@ethereumjs/vm'
import {
  type Awaitable,
  type Steps,
  TimeSlice,
  runInSlices,
  runToCompletion,
  whenReady,
} from '../../encoding/timeSlice.js'
import { EMPTY_BLOOM, logsBloom } from '../block/body.js'
import type { AccessListEntry, Authorization } from '../calls/callObject.js'
import { MessageRejectedError } from '../errors.js'
import { failureMessage } from '../evm/failure.js'
import { useRules } from '../evm/internals.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import type { PooledTransaction } from '../mempool/transaction.js'
import { EMPTY_CODE_HASH, slotKeyOf } from '../state/account.js'
import type { ExecutionLog } from '../types.js'
import { type BlockEnvironment, withFees, withoutBaseFee } from './blockEnvironment.js'
import { type Message, messageFromTransaction, recoverAuthority } from './message.js'
import { type CheckedMessage, type MessageChecks, preCheck, transactionChecks } from './preCheck.js'
import { hideSenderCode, replaceMembers } from './senderState.js'

/** The failure of the outermost frame. */
export interface MessageFailure {
  kind: 'revert' | 'outOfGas' | 'other'
  /** geth's message (core/vm/errors.go). */
  message: string
}

/** Output of a message, without its costs. */
export interface MessageOutcome {
  /** Return data or revert data. */
  returnData: Uint8Array
  /** Undefined on success. */
  failure: MessageFailure | undefined
}

/** Result of executing a message. */
export interface MessageResult extends MessageOutcome {
  /** Gas paid for, after refunds. */
  gasUsed: bigint
  /** Gas required, before refunds. */
  maxGasUsed: bigint
  /** Gas of the execution alone, without intrinsic gas and before refunds. */
  executionGasUsed: bigint
  /** Gas charged before the first opcode. */
  intrinsicGas: bigint
  logs: ExecutionLog[]
  /** 256 bytes. */
  logsBloom: Uint8Array
  /** 32 bytes; for receipts before Byzantium. */
  stateRoot: Uint8Array | undefined
}

/** All checks of a block except that the sender is no contract (EIP-3607): any account may be impersonated. */
const impersonatedChecks: MessageChecks = { ...transactionChecks, transaction: false }

/**
 * Executes a transaction in the block that an EVM is bound to.
 *
 * @throws MessageRejectedError with geth's message if it may not be executed here; the state is unchanged then
 */
export async function runTransaction(evm: PooledEvm, pooled: PooledTransaction): Promise<MessageResult> {
  const message = messageFromTransaction(pooled, evm.block.header.baseFeePerGas)
  const checks = pooled.impersonated ? impersonatedChecks : transactionChecks
  const checked = await preCheck(evm, message, checks, pooled.transaction)
  return run(evm, message, checked, { skipNonce: false, state: evm.state })
}

/**
 * Executes a message as an unsigned transaction, with all its effects on the state.
 *
 * @throws MessageRejectedError with geth's message if it may not run at all; the state is unchanged then
 */
export async function runMessage(
  evm: PooledEvm,
  message: Message,
  checks: MessageChecks,
): Promise<MessageResult> {
  const checked = await preCheck(evm, message, checks)
  const { state } = evm
  return run(evm, message, checked, {
    skipNonce: !checks.nonce,
    // A receipt before Byzantium contains a state root, but nobody reads the receipt of a call.
    state: evm.common.gteHardfork('byzantium')
      ? state
      : replaceMembers(state, { getStateRoot: () => Promise.resolve(EMPTY_CODE_HASH) }),
  })
}

/**
 * Executes a message only for its output (eth_call). The caller must revert the state, which may differ from what a
 * transaction leaves. A message that pays fees or changes accounts before its first opcode runs as a transaction.
 *
 * @throws MessageRejectedError with geth's message if it may not run at all
 */
export function runCall(evm: PooledEvm, message: Message, checks: MessageChecks): Awaitable<MessageOutcome> {
  return whenReady(preCheck(evm, message, checks), (checked) => {
    const { to, authorizationList, blobVersionedHashes } = message
    const hasLists = authorizationList !== undefined || blobVersionedHashes !== undefined
    if (!checked.isFree || checked.hasCode || hasLists || to === undefined) {
      return runMessage(evm, message, checks)
    }
    return whenReady(warm(evm, message), () => {
      const result = evm.runOutermost({
        caller: new Address(message.from),
        to: new Address(to),
        value: message.value,
        data: message.data,
        gasPrice: message.gasPrice,
        gasLimit: message.gasLimit - checked.intrinsic,
        skipNonceIncrement: true,
      })
      return whenReady(result, (ended) => outcomeOf(evm, message, ended))
    })
  })
}

interface RunOptions {
  skipNonce: boolean
  state: StateManagerInterface
}

async function run(
  evm: PooledEvm,
  message: Message,
  checked: CheckedMessage,
  { skipNonce, state }: RunOptions,
): Promise<MessageResult> {
  const { transaction } = checked
  const sender = new Address(message.from)
  // Skip signature recovery: impersonated senders and calls have no signature.
  transaction.getSenderAddress = () => sender
  useRules(transaction, evm.common)
  const view = viewOf(evm, message, checked, state)
  const isLong = entriesOf(message) > MAX_WARMED_AT_ONCE
  const valid = await withoutUnrecoverable(transaction, message.authorizationList)
  const tx = isLong ? withoutAccessList(valid, checked) : valid
  try {
    const result = await runTx(evm.vmOver(isLong ? warmBefore(evm, message, view) : view), {
      tx,
      block: libraryBlock(checked.isFree ? freeOfBaseFee(evm.block) : affordable(evm.block, message)),
      blockGasUsed: 0n,
      skipNonce,
      skipHardForkValidation: true,
      skipBlockGasLimitValidation: true,
    })
    return await toResult(evm, message, checked, result)
  } catch (error) {
    // Anything that the checks above missed is still a rejection.
    throw error instanceof EthereumJSError ? new MessageRejectedError(error.message) : error
  }
}

/**
 * Marks authorizations whose signature recovers to no key as invalid (EIP-7702). runTx skips them either way, but
 * spends a millisecond on each without yielding: a long list would block the node.
 */
async function withoutUnrecoverable(
  transaction: CheckedMessage['transaction'],
  authorizations: Message['authorizationList'],
): Promise<CheckedMessage['transaction']> {
  if (authorizations === undefined || !('authorizationList' in transaction)) return transaction
  const unrecoverable = await runInSlices(findUnrecoverable(authorizations), new TimeSlice())
  if (unrecoverable.size === 0) return transaction
  const list = transaction.authorizationList.map((item, index) =>
    unrecoverable.has(index) ? item.with(Y_PARITY, INVALID_Y_PARITY) : item,
  )
  // Leave the signed transaction itself untouched.
  return Object.create(transaction, { authorizationList: { value: list } }) as CheckedMessage['transaction']
}

/** Hides a long access list from runTx, which would warm it in one go; {@link warmBefore} warms it instead. */
function withoutAccessList(
  transaction: CheckedMessage['transaction'],
  { intrinsic }: CheckedMessage,
): CheckedMessage['transaction'] {
  return Object.create(transaction, {
    accessList: { value: [] },
    getIntrinsicGas: { value: () => intrinsic },
  }) as CheckedMessage['transaction']
}

/** Returns a state manager that warms the access list before it returns the first account. */
function warmBefore(
  evm: PooledEvm,
  { accessList = [] }: Message,
  state: StateManagerInterface,
): StateManagerInterface {
  let warming: Promise<void> | undefined
  return replaceMembers(state, {
    getAccount: async (address) => {
      await (warming ??= runInSlices(warmList(evm, accessList), new TimeSlice()))
      return state.getAccount(address)
    },
  })
}

/** Index of the recovery bit among an authorization's fields. */
const Y_PARITY = 3
/** A recovery bit other than 0 and 1 (EIP-7702). */
const INVALID_Y_PARITY = Uint8Array.of(2)

function* findUnrecoverable(authorizations: readonly Authorization[]): Steps<ReadonlySet<number>> {
  const found = new Set<number>()
  for (const [index, authorization] of authorizations.entries()) {
    if (recoverAuthority(authorization) === undefined) found.add(index)
    yield
  }
  return found
}

function freeOfBaseFee(block: BlockEnvironment): BlockEnvironment {
  return block.header.baseFeePerGas === undefined ? block : withoutBaseFee(block)
}

/** Returns the block with a base fee that the message pays, for one that ignores the block's. */
function affordable(block: BlockEnvironment, { gasPrice, maxFeePerGas }: Message): BlockEnvironment {
  const { baseFeePerGas = 0n } = block.header
  return maxFeePerGas < baseFeePerGas ? withFees(block, { baseFeePerGas: gasPrice }) : block
}

/** Passes the environment as a block: runTx only reads what opcodes see, and the rest does not exist yet. */
function libraryBlock(block: BlockEnvironment): Block {
  // eslint-disable-next-line no-restricted-syntax -- the library asks for a whole block and reads its header alone
  return block as unknown as Block
}

/** Returns the state as runTx should see it. */
function viewOf(
  evm: PooledEvm,
  { from, authorizationList }: Message,
  { hasCode }: CheckedMessage,
  state: StateManagerInterface,
): StateManagerInterface {
  const visible = hasCode ? hideSenderCode(state, from) : state
  return authorizationList === undefined ? visible : observeAuthorizations(evm, visible)
}

/**
 * Returns a state manager that yields between authorizations (EIP-7702), each of which takes a millisecond, and reports
 * to a tracer the refund for authorities that already exist.
 */
function observeAuthorizations(evm: PooledEvm, state: StateManagerInterface): StateManagerInterface {
  const slice = new TimeSlice()
  const refundOfExisting = evm.common.param('perEmptyAccountCost') - evm.common.param('perAuthBaseGas')
  let refund = 0n
  let exists = false
  return replaceMembers(state, {
    getAccount: async (address) => {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      const account = await state.getAccount(address)
      exists = account !== undefined
      return account
    },
    putCode: async (address, code) => {
      if (exists) refund += refundOfExisting
      if (refund > 0n) evm.feed?.tracer.refund?.(refund)
      await state.putCode(address, code)
    },
  })
}

function toResult(
  evm: PooledEvm,
  message: Message,
  { intrinsic, floor }: CheckedMessage,
  result: RunTxResult,
): Awaitable<MessageResult> {
  const { execResult, totalGasSpent, bloom, receipt } = result
  const { executionGasUsed } = execResult
  const many = evm.takeExcessLogs()
  const few = execResult.logs ?? []
  const bloomOfFew = few.length === 0 ? EMPTY_BLOOM : bloom.bitvector
  const gasBeforeRefunds = intrinsic + executionGasUsed
  const emitted =
    many === undefined
      ? { logs: few.map(namedLog), logsBloom: bloomOfFew }
      : runInSlices(readLogs(many), new TimeSlice())
  return whenReady(emitted, (ofLogs) => ({
    returnData: execResult.returnValue,
    failure: execResult.exceptionError && describe(evm, message, execResult.exceptionError),
    gasUsed: totalGasSpent,
    maxGasUsed: gasBeforeRefunds > floor ? gasBeforeRefunds : floor,
    executionGasUsed,
    intrinsicGas: intrinsic,
    ...ofLogs,
    stateRoot: 'stateRoot' in receipt ? receipt.stateRoot : undefined,
  }))
}

type LibraryLog = NonNullable<ExecResult['logs']>[number]
/** Logs converted between two yields. */
const LOGS_AT_ONCE = 1024

function namedLog([address, topics, data]: LibraryLog): ExecutionLog {
  return { address, topics, data }
}

function* readLogs(given: readonly LibraryLog[]): Steps<Pick<MessageResult, 'logs' | 'logsBloom'>> {
  const logs: ExecutionLog[] = []
  for (const log of given) if (logs.push(namedLog(log)) % LOGS_AT_ONCE === 0) yield
  return { logs, logsBloom: yield* logsBloom(logs) }
}

function outcomeOf(
  evm: PooledEvm,
  message: Message,
  { execResult: { returnValue, exceptionError } }: EVMResult,
): MessageOutcome {
  return { returnData: returnValue, failure: exceptionError && describe(evm, message, exceptionError) }
}

function describe(evm: PooledEvm, message: Message, error: EVMError): MessageFailure {
  const { deployment, common: rules } = evm
  const facts = { rules, deployment, initcodeSize: message.data.length }
  const gethMessage = failureMessage(error, message.to === undefined ? facts : undefined)
  if (error.error === EVMError.errorMessages.REVERT) return { kind: 'revert', message: gethMessage }
  return { kind: gethMessage.startsWith('out of gas') ? 'outOfGas' : 'other', message: gethMessage }
}

/** Number of addresses and slots of an access list warmed between two yields. */
const MAX_WARMED_AT_ONCE = 512

/** Warms what is warm before the first opcode of a call (EIP-2929, EIP-2930, EIP-3651). */
function warm(evm: PooledEvm, message: Message): Awaitable<void> {
  const { from, to, accessList = [] } = message
  const { frameJournal: journal, common: rules } = evm
  if (!rules.isActivatedEIP(2929)) return undefined
  journal.warmPrecompiles()
  journal.warmAddress(from)
  if (to !== undefined) journal.warmAddress(to)
  if (rules.isActivatedEIP(3651)) journal.warmAddress(evm.block.header.coinbase.bytes)
  if (accessList.length === 0) return undefined
  const warming = warmList(evm, accessList)
  return entriesOf(message) <= MAX_WARMED_AT_ONCE
    ? runToCompletion(warming)
    : runInSlices(warming, new TimeSlice())
}

/** Counts the addresses and slots of an access list. */
function entriesOf({ accessList = [] }: Message): number {
  return accessList.reduce((sum, { storageKeys }) => sum + 1 + storageKeys.length, 0)
}

function* warmList({ frameJournal }: PooledEvm, accessList: readonly AccessListEntry[]): Steps<void> {
  let warmed = 0
  for (const { address, storageKeys } of accessList) {
    frameJournal.warmAddress(address)
    if (++warmed % MAX_WARMED_AT_ONCE === 0) yield
    for (const slot of storageKeys) {
      frameJournal.warmSlot(address, slotKeyOf(slot))
      if (++warmed % MAX_WARMED_AT_ONCE === 0) yield
    }
  }
}
