import { EVMError, type EVMResult, type EVMRunCallOpts } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { runAtOnce, runInSlices, TimeSlice, type Pieces } from '../../encoding/timeSlice.js'
import { increased } from '../state/balance.js'
import { EMPTY_RECORD, type AccountRecord } from '../state/entries.js'
import { slotKeyOf } from '../state/slotKey.js'
import { whenReady } from '../state/whenReady.js'
import type { Awaitable } from '../types.js'
import { atHand } from './atHand.js'
import { applyAuthorizations } from './authorization.js'
import { delegationTarget } from './delegation.js'
import { failureWords } from './failure.js'
import type { Message } from './message.js'
import { runPlainTransfer } from './plainTransfer.js'
import type { PooledEvm } from './pooledEvm.js'
import { preCheck, type CheckedMessage, type MessageChecks } from './preCheck.js'
import type { MessageFailure, MessageResult } from './messageResult.js'

/**
 * Runs a message on the state that an EVM is bound to, as a block would (geth: core/state_transition.go).
 *
 * The state keeps what the message changed; nothing is written if it is rejected.
 *
 * @throws MessageRejectedError if it may not run at all.
 */
export function executeMessage(
  evm: PooledEvm,
  message: Message,
  checks: MessageChecks,
): Awaitable<MessageResult> {
  return whenReady(
    preCheck(evm, message, checks),
    (checked) => runPlainTransfer(evm, message, checked) ?? runChecked(evm, message, checked),
  )
}

/** What a message gave back, without what it cost. */
export type MessageOutcome = Pick<MessageResult, 'returnData' | 'failure'>

/**
 * Runs a message of which only the answer counts: the state is not as a message leaves it, and has to be taken back.
 *
 * @throws MessageRejectedError if it may not run at all.
 */
export function executeForOutcome(
  evm: PooledEvm,
  message: Message,
  checks: MessageChecks,
): Awaitable<MessageOutcome> {
  return whenReady(preCheck(evm, message, checks), (checked) =>
    runToEnd(evm, message, checked, ({ execResult: { returnValue, exceptionError } }) => {
      if (exceptionError === undefined) return { returnData: returnValue }
      return { returnData: returnValue, failure: describe(evm, message, exceptionError) }
    }),
  )
}

function runChecked(evm: PooledEvm, message: Message, checked: CheckedMessage): Awaitable<MessageResult> {
  return runToEnd(evm, message, checked, (result, refund) => settle(evm, message, checked, result, refund))
}

/** Runs a message, without what is paid for it in the end. */
function runToEnd<T>(
  evm: PooledEvm,
  message: Message,
  checked: CheckedMessage,
  end: (result: EVMResult, authorizationRefund: bigint) => Awaitable<T>,
): Awaitable<T> {
  warm(evm, message)
  const { accessList } = message
  if (accessList.length === 0) return runWarm(evm, message, checked, end)
  const warming = warmList(evm, accessList)
  if (entriesOf(accessList) <= MOST_WARMED_AT_ONCE) {
    runAtOnce(warming)
    return runWarm(evm, message, checked, end)
  }
  return runInSlices(warming, new TimeSlice()).then(() => runWarm(evm, message, checked, end))
}

/** Runs a message whose access list is warm. */
function runWarm<T>(
  evm: PooledEvm,
  message: Message,
  checked: CheckedMessage,
  end: (result: EVMResult, authorizationRefund: bigint) => Awaitable<T>,
): Awaitable<T> {
  const sender = new Address(message.from)
  prepay(evm, message, sender, checked)
  const { authorizationList: authorizations = [] } = message
  const applied = authorizations.length === 0 ? 0n : applyAuthorizations(evm, authorizations)
  return whenReady(applied, (refund) => {
    if (refund > 0n) evm.feed?.tracer.refund?.(refund)
    return whenReady(warmDelegation(evm, message), () =>
      whenReady(run(evm, message, sender, checked.intrinsic), (result) => end(result, refund)),
    )
  })
}

/** Takes the gas and the blobs from the sender, and counts the message. */
function prepay(evm: PooledEvm, message: Message, sender: Address, { blobGas }: CheckedMessage): void {
  const blobFee = blobGas === 0n ? 0n : blobGas * (evm.block.header.getBlobGasPrice() ?? 0n)
  const prepaid = message.gasLimit * message.gasPrice + blobFee
  changeSender(evm, sender, ({ nonce, balance, codeHash }) => ({
    nonce: BigInt.asUintN(64, nonce + 1n),
    balance: balance - prepaid,
    codeHash,
  }))
}

/** EIP-2929, EIP-3651: what is warm before the first opcode, without what the message lists. */
function warm(evm: PooledEvm, { from, to }: Message): void {
  const { frameJournal: journal, common: rules } = evm
  if (!rules.isActivatedEIP(2929)) return
  journal.warmAddress(from)
  if (to !== undefined) journal.warmAddress(to)
  if (rules.isActivatedEIP(3651)) journal.warmAddress(evm.block.header.coinbase.bytes)
}

/** Addresses and slots that are warmed at once. */
const MOST_WARMED_AT_ONCE = 512

/** EIP-2930: what the message lists is warm too. */
function* warmList(
  { frameJournal: journal, common: rules }: PooledEvm,
  accessList: Message['accessList'],
): Pieces<void> {
  if (!rules.isActivatedEIP(2929)) return
  let warmed = 0
  for (const { address, storageKeys } of accessList) {
    journal.warmAddress(address)
    if (++warmed % MOST_WARMED_AT_ONCE === 0) yield
    for (const slot of storageKeys) {
      journal.warmSlot(address, slotKeyOf(slot))
      if (++warmed % MOST_WARMED_AT_ONCE === 0) yield
    }
  }
}

/** Addresses and slots in a list. */
function entriesOf(accessList: Message['accessList']): number {
  return accessList.reduce((sum, { storageKeys }) => sum + 1 + storageKeys.length, 0)
}

/** EIP-7702: the target of the recipient's delegation is warm too. */
function warmDelegation(evm: PooledEvm, { to }: Message): Awaitable<void> {
  if (to === undefined || !evm.common.isActivatedEIP(7702)) return undefined
  return whenReady(evm.state.readCode(to), (code) => {
    const target = delegationTarget(code)
    if (target !== undefined) evm.frameJournal.warmAddress(target)
  })
}

/** Changes the account of the sender, which the checks have read: it is at hand. */
function changeSender(
  evm: PooledEvm,
  sender: Address,
  change: (account: AccountRecord) => AccountRecord,
): void {
  evm.frameJournal.touchAddress(sender)
  const { bytes } = sender
  void evm.state.writeAccount(bytes, change(atHand(evm.state.readAccount(bytes)) ?? EMPTY_RECORD))
}

function run(evm: PooledEvm, message: Message, sender: Address, intrinsic: bigint): Awaitable<EVMResult> {
  const { to, value, data, gasPrice, gasLimit, blobVersionedHashes } = message
  const options: EVMRunCallOpts = {
    block: evm.block,
    caller: sender,
    value,
    data,
    gasPrice,
    gasLimit: gasLimit - intrinsic,
    skipNonceIncrement: true,
  }
  if (to !== undefined) options.to = new Address(to)
  if (blobVersionedHashes !== undefined) options.blobVersionedHashes = blobVersionedHashes.map(bytesToHex)
  return evm.runOutermost(options)
}

/** Pays what is left of the gas back and the coinbase its part, and ends the transaction. */
function settle(
  evm: PooledEvm,
  message: Message,
  { intrinsic, floor, isFree }: CheckedMessage,
  { execResult }: EVMResult,
  authorizationRefund: bigint,
): Awaitable<MessageResult> {
  const rules = evm.common
  const maxGasUsed = intrinsic + execResult.executionGasUsed
  const refund = authorizationRefund + (execResult.gasRefund ?? 0n)
  const maxRefund = maxGasUsed / (rules.isActivatedEIP(3529) ? 5n : 2n)
  const gasUsed = larger(maxGasUsed - (refund < maxRefund ? refund : maxRefund), floor)
  changeSender(evm, new Address(message.from), ({ nonce, balance, codeHash }) => ({
    nonce,
    balance: increased(balance, (message.gasLimit - gasUsed) * message.gasPrice),
    codeHash,
  }))
  const paid = isFree ? undefined : payCoinbase(evm, message, gasUsed)
  const ended = whenReady(paid, () =>
    whenReady(destroyAccounts(evm, execResult), () => evm.frameJournal.cleanup()),
  )
  return whenReady(ended, () => {
    evm.state.originalStorageCache.clear()
    const failure = execResult.exceptionError && describe(evm, message, execResult.exceptionError)
    return {
      gasUsed,
      maxGasUsed: larger(maxGasUsed, floor),
      executionGasUsed: execResult.executionGasUsed,
      returnData: execResult.returnValue,
      logs: (execResult.logs ?? []).map(([address, topics, data]) => ({ address, topics, data })),
      ...(failure === undefined ? {} : { failure }),
    }
  })
}

/** Removes the accounts that destroyed themselves: since EIP-6780 only those that the message made. */
function destroyAccounts(
  evm: PooledEvm,
  { selfdestruct, createdAddresses }: EVMResult['execResult'],
): Awaitable<void> {
  if (selfdestruct === undefined || selfdestruct.size === 0) return undefined
  const destroyed = [...selfdestruct.keys()].filter(
    (address) => !evm.common.isActivatedEIP(6780) || createdAddresses?.has(address) === true,
  )
  return destroyed.reduce<Promise<void>>(
    (before, address) => before.then(() => evm.journal.deleteAccount(new Address(hexToBytes(address)))),
    Promise.resolve(),
  )
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** The coinbase gets what is above the base fee (EIP-1559). */
function payCoinbase(evm: PooledEvm, { gasPrice }: Message, gasUsed: bigint): Awaitable<void> {
  const { coinbase, baseFeePerGas = 0n } = evm.block.header
  evm.frameJournal.touchAddress(coinbase)
  return whenReady(evm.state.readAccount(coinbase.bytes), (record = EMPTY_RECORD) => {
    const balance = increased(record.balance, gasUsed * (gasPrice - baseFeePerGas))
    return evm.state.writeAccount(coinbase.bytes, { nonce: record.nonce, balance, codeHash: record.codeHash })
  })
}

function describe(evm: PooledEvm, message: Message, error: EVMError): MessageFailure {
  const { deployedSize, common: rules } = evm
  const facts = { rules, deployedSize, initcodeSize: message.data.length }
  const words = failureWords(error, message.to === undefined ? facts : undefined)
  if (error.error === EVMError.errorMessages.REVERT) return { kind: 'revert', words }
  return { kind: words.startsWith('out of gas') ? 'outOfGas' : 'other', words }
}
