import type { Block } from '@ethereumjs/block'
import type { StateManagerInterface } from '@ethereumjs/common'
import { EVMError, type EVMResult } from '@ethereumjs/evm'
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
import { failureWords } from '../evm/failure.js'
import { useRules } from '../evm/internals.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import type { PooledTransaction } from '../mempool/transaction.js'
import { EMPTY_CODE_HASH, slotKeyOf } from '../state/account.js'
import type { ExecutionLog } from '../types.js'
import { type BlockEnvironment, withoutBaseFee } from './blockEnvironment.js'
import { type Message, messageFromTransaction, recoverAuthority } from './message.js'
import { type CheckedMessage, type MessageChecks, preCheck, transactionChecks } from './preCheck.js'
import { hideSenderCode, replaceMembers } from './senderState.js'

/** How the outermost frame failed. */
export interface MessageFailure {
  kind: 'revert' | 'outOfGas' | 'other'
  /** As geth has it (core/vm/errors.go). */
  words: string
}

/** What a message gave back, without what it cost. */
export interface MessageOutcome {
  /** What the code returned, or reverted with. */
  returnData: Uint8Array
  /** Undefined on success. */
  failure: MessageFailure | undefined
}

/** What a message did. */
export interface MessageResult extends MessageOutcome {
  /** Gas that was paid for, after refunds. */
  gasUsed: bigint
  /** Gas that had to be there, before refunds. */
  maxGasUsed: bigint
  /** Gas that the code took, without what is paid before its first opcode and before refunds. */
  executionGasUsed: bigint
  /** Gas that was paid before the first opcode. */
  intrinsicGas: bigint
  logs: ExecutionLog[]
  /** 256 bytes. */
  logsBloom: Uint8Array
  /** 32 bytes; what receipts of legacy transactions show before Byzantium. */
  stateRoot: Uint8Array | undefined
}

/** All that a block demands, except that the sender is no contract (EIP-3607): any account may be impersonated. */
const impersonatedChecks: MessageChecks = { ...transactionChecks, transaction: false }

/**
 * Executes a transaction in the block that an EVM is bound to.
 *
 * @throws MessageRejectedError in geth's words if it may not be executed here; the state is then as it was.
 */
export async function runTransaction(evm: PooledEvm, pooled: PooledTransaction): Promise<MessageResult> {
  const message = messageFromTransaction(pooled, evm.block.header.baseFeePerGas)
  const checks = pooled.impersonated ? impersonatedChecks : transactionChecks
  const checked = await preCheck(evm, message, checks, pooled.transaction)
  return run(evm, message, checked, { skipNonce: false, state: evm.state })
}

/**
 * Executes a message as a transaction without a signature, which leaves the state as a transaction does.
 *
 * @throws MessageRejectedError in geth's words if it may not run at all; the state is then as it was.
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
    // A receipt before Byzantium has the root of the state in it; that of a call is not looked at.
    state: evm.common.gteHardfork('byzantium')
      ? state
      : replaceMembers(state, { getStateRoot: () => Promise.resolve(EMPTY_CODE_HASH) }),
  })
}

/**
 * Runs a message of which only the answer counts (eth_call). The state is not as a transaction leaves it, and has to be
 * reverted. Where the message pays fees or changes accounts before its first opcode, it runs as a transaction.
 *
 * @throws MessageRejectedError in geth's words if it may not run at all.
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
  // The signature is not looked at again: the sender of an impersonated account or of a call has none.
  transaction.getSenderAddress = () => sender
  useRules(transaction, evm.common)
  const view = viewOf(evm, message, checked, state)
  const isLong = entriesOf(message) > MOST_WARMED_AT_ONCE
  const valid = await withoutUnrecoverable(transaction, message.authorizationList)
  const tx = isLong ? withoutAccessList(valid, checked) : valid
  try {
    const result = await runTx(evm.vmOver(isLong ? warmBefore(evm, message, view) : view), {
      tx,
      block: libraryBlock(checked.isFree ? freeOfBaseFee(evm.block) : evm.block),
      blockGasUsed: 0n,
      skipNonce,
      skipHardForkValidation: true,
      skipBlockGasLimitValidation: true,
    })
    return await toResult(evm, message, checked, result)
  } catch (error) {
    // What the checks in front have missed is a refusal all the same.
    throw error instanceof EthereumJSError ? new MessageRejectedError(error.message) : error
  }
}

/**
 * A transaction whose authorizations by no key are marked as invalid (EIP-7702). runTx passes over them either way, but
 * takes a millisecond to find out for itself, with no turn for other work: a list of them would hold the node.
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
  // The transaction itself stays as it was signed.
  return Object.create(transaction, { authorizationList: { value: list } }) as CheckedMessage['transaction']
}

/** The same transaction for runTx, which warms an access list in one step: a long one is warmed by {@link warmBefore}. */
function withoutAccessList(
  transaction: CheckedMessage['transaction'],
  { intrinsic }: CheckedMessage,
): CheckedMessage['transaction'] {
  return Object.create(transaction, {
    accessList: { value: [] },
    getIntrinsicGas: { value: () => intrinsic },
  }) as CheckedMessage['transaction']
}

/** A state manager that warms the access list before it gives the first account. */
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

/** The place of an authorization's recovery bit in its list of fields. */
const Y_PARITY = 3
/** EIP-7702: recovery bits are 0 and 1. */
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

/** What runTx reads of a block is what opcodes see of it; the rest of a block is not made yet. */
function libraryBlock(block: BlockEnvironment): Block {
  // eslint-disable-next-line no-restricted-syntax -- the library asks for a whole block and reads its header alone
  return block as unknown as Block
}

/** The state as runTx is to see it. */
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
 * A state manager that gives other work its turn between authorizations (EIP-7702), each of which takes a millisecond,
 * and tells a tracer what is refunded for authorities that exist already.
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
  const many = evm.takeManyLogs()
  const logs = (many ?? execResult.logs ?? []).map(([address, topics, data]) => ({ address, topics, data }))
  const gasBeforeRefunds = intrinsic + executionGasUsed
  const toldBloom = logs.length === 0 ? EMPTY_BLOOM : bloom.bitvector
  const ownBloom = many === undefined ? toldBloom : runInSlices(logsBloom(logs), new TimeSlice())
  return whenReady(ownBloom, (bloomOfLogs) => ({
    returnData: execResult.returnValue,
    failure: execResult.exceptionError && describe(evm, message, execResult.exceptionError),
    gasUsed: totalGasSpent,
    maxGasUsed: gasBeforeRefunds > floor ? gasBeforeRefunds : floor,
    executionGasUsed,
    intrinsicGas: intrinsic,
    logs,
    logsBloom: bloomOfLogs,
    stateRoot: 'stateRoot' in receipt ? receipt.stateRoot : undefined,
  }))
}

function outcomeOf(
  evm: PooledEvm,
  message: Message,
  { execResult: { returnValue, exceptionError } }: EVMResult,
): MessageOutcome {
  return { returnData: returnValue, failure: exceptionError && describe(evm, message, exceptionError) }
}

function describe(evm: PooledEvm, message: Message, error: EVMError): MessageFailure {
  const { deployedSize, common: rules } = evm
  const facts = { rules, deployedSize, initcodeSize: message.data.length }
  const words = failureWords(error, message.to === undefined ? facts : undefined)
  if (error.error === EVMError.errorMessages.REVERT) return { kind: 'revert', words }
  return { kind: words.startsWith('out of gas') ? 'outOfGas' : 'other', words }
}

/** Addresses and slots of an access list that are warmed without looking at the clock. */
const MOST_WARMED_AT_ONCE = 512

/** EIP-2929, EIP-2930, EIP-3651: what is warm before the first opcode of a call. */
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
  return entriesOf(message) <= MOST_WARMED_AT_ONCE
    ? runToCompletion(warming)
    : runInSlices(warming, new TimeSlice())
}

/** Addresses and slots of an access list. */
function entriesOf({ accessList = [] }: Message): number {
  return accessList.reduce((sum, { storageKeys }) => sum + 1 + storageKeys.length, 0)
}

function* warmList({ frameJournal }: PooledEvm, accessList: readonly AccessListEntry[]): Steps<void> {
  let warmed = 0
  for (const { address, storageKeys } of accessList) {
    frameJournal.warmAddress(address)
    if (++warmed % MOST_WARMED_AT_ONCE === 0) yield
    for (const slot of storageKeys) {
      frameJournal.warmSlot(address, slotKeyOf(slot))
      if (++warmed % MOST_WARMED_AT_ONCE === 0) yield
    }
  }
}
