import { EVMError, type EVMResult } from '@ethereumjs/evm'
import { Account, Address } from '@ethereumjs/util'
import { bytesToHex, bytesToPlainHex } from '../../encoding/hex.js'
import type { ExecutionLog } from '../types.js'
import { applyAuthorizations } from './authorization.js'
import { delegationTarget } from './delegation.js'
import { failureWords } from './failure.js'
import type { Message } from './message.js'
import { runPlainTransfer } from './plainTransfer.js'
import type { PooledEvm } from './pooledEvm.js'
import { preCheck, type CheckedMessage, type MessageChecks } from './preCheck.js'

/** How the outermost frame failed. */
export interface MessageFailure {
  kind: 'revert' | 'outOfGas' | 'other'
  /** As geth has it (core/vm/errors.go). */
  words: string
}

/** What a message did. */
export interface MessageResult {
  /** Gas that was paid for, after refunds. */
  gasUsed: bigint
  /** Gas that had to be there, before refunds. */
  maxGasUsed: bigint
  /** Gas that the code took, without what is paid before its first opcode and before refunds. */
  executionGasUsed: bigint
  /** What the code returned, or reverted with. */
  returnData: Uint8Array
  logs: ExecutionLog[]
  /** Absent on success. */
  failure?: MessageFailure
}

/**
 * Runs a message on the state that an EVM is bound to, as a block would (geth: core/state_transition.go).
 *
 * The state keeps what the message changed; nothing is written if it is rejected.
 *
 * @throws MessageRejectedError if it may not run at all.
 */
export async function executeMessage(
  evm: PooledEvm,
  message: Message,
  checks: MessageChecks,
): Promise<MessageResult> {
  const checked = await preCheck(evm, message, checks)
  const transfer = runPlainTransfer(evm, message, checked)
  if (transfer !== undefined) return transfer
  const blobBaseFee = evm.block.header.getBlobGasPrice() ?? 0n
  const prepaid = message.gasLimit * message.gasPrice + checked.blobGas * blobBaseFee
  warm(evm, message)
  await changeSender(evm, message, (account) => {
    account.balance -= prepaid
    account.nonce = BigInt.asUintN(64, account.nonce + 1n)
  })
  const refund = await applyAuthorizations(evm, message.authorizationList ?? [])
  if (refund > 0n) evm.feed?.tracer.refund?.(refund)
  await warmDelegation(evm, message)
  const result = await run(evm, message, checked.intrinsic)
  return settle(evm, message, checked, result, refund)
}

/** EIP-2929, EIP-2930, EIP-3651: what is warm before the first opcode. */
function warm(evm: PooledEvm, { from, to, accessList }: Message): void {
  const { journal, common: rules } = evm
  if (!rules.isActivatedEIP(2929)) return
  journal.addAlwaysWarmAddress(bytesToPlainHex(from))
  if (to !== undefined) journal.addAlwaysWarmAddress(bytesToPlainHex(to))
  if (rules.isActivatedEIP(3651)) {
    journal.addAlwaysWarmAddress(bytesToPlainHex(evm.block.header.coinbase.bytes))
  }
  for (const { address, storageKeys } of accessList) {
    const key = bytesToPlainHex(address)
    journal.addAlwaysWarmAddress(key)
    for (const slot of storageKeys) journal.addAlwaysWarmSlot(key, bytesToPlainHex(slot))
  }
}

/** EIP-7702: the target of the recipient's delegation is warm too. */
async function warmDelegation(evm: PooledEvm, { to }: Message): Promise<void> {
  if (to === undefined || !evm.common.isActivatedEIP(7702)) return
  const target = delegationTarget(await evm.stateManager.getCode(new Address(to)))
  if (target !== undefined) evm.journal.addAlwaysWarmAddress(bytesToPlainHex(target))
}

async function changeSender(
  evm: PooledEvm,
  { from }: Message,
  change: (account: Account) => void,
): Promise<void> {
  const sender = new Address(from)
  const account = (await evm.stateManager.getAccount(sender)) ?? new Account()
  change(account)
  await evm.journal.putAccount(sender, account)
}

function run(evm: PooledEvm, message: Message, intrinsic: bigint): Promise<EVMResult> {
  const { from, to, value, data, gasPrice, gasLimit, blobVersionedHashes } = message
  return evm.runCall({
    block: evm.block,
    caller: new Address(from),
    ...(to === undefined ? {} : { to: new Address(to) }),
    value,
    data,
    gasPrice,
    gasLimit: gasLimit - intrinsic,
    ...(blobVersionedHashes === undefined
      ? {}
      : { blobVersionedHashes: blobVersionedHashes.map(bytesToHex) }),
    skipNonceIncrement: true,
  })
}

async function settle(
  evm: PooledEvm,
  message: Message,
  { intrinsic, floor, isFree }: CheckedMessage,
  { execResult }: EVMResult,
  authorizationRefund: bigint,
): Promise<MessageResult> {
  const rules = evm.common
  const maxGasUsed = intrinsic + execResult.executionGasUsed
  const refund = authorizationRefund + (execResult.gasRefund ?? 0n)
  const maxRefund = maxGasUsed / (rules.isActivatedEIP(3529) ? 5n : 2n)
  const gasUsed = larger(maxGasUsed - (refund < maxRefund ? refund : maxRefund), floor)
  await changeSender(evm, message, (account) => {
    account.balance += (message.gasLimit - gasUsed) * message.gasPrice
  })
  if (!isFree) await payCoinbase(evm, message, gasUsed)
  for (const address of execResult.selfdestruct?.keys() ?? []) {
    if (rules.isActivatedEIP(6780) && execResult.createdAddresses?.has(address) !== true) continue
    await evm.journal.deleteAccount(new Address(Uint8Array.from(Buffer.from(address.slice(2), 'hex'))))
  }
  await evm.journal.cleanup()
  evm.stateManager.originalStorageCache.clear()
  const failure = execResult.exceptionError && describe(evm, message, execResult.exceptionError)
  return {
    gasUsed,
    maxGasUsed: larger(maxGasUsed, floor),
    executionGasUsed: execResult.executionGasUsed,
    returnData: execResult.returnValue,
    logs: (execResult.logs ?? []).map(([address, topics, data]) => ({ address, topics, data })),
    ...(failure === undefined ? {} : { failure }),
  }
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** The coinbase gets what is above the base fee (EIP-1559). */
async function payCoinbase(evm: PooledEvm, { gasPrice }: Message, gasUsed: bigint): Promise<void> {
  const { coinbase, baseFeePerGas = 0n } = evm.block.header
  const account = (await evm.stateManager.getAccount(coinbase)) ?? new Account()
  account.balance += gasUsed * (gasPrice - baseFeePerGas)
  await evm.journal.putAccount(coinbase, account)
}

function describe(evm: PooledEvm, message: Message, error: EVMError): MessageFailure {
  const { deployedSize, common: rules } = evm
  const facts = { rules, deployedSize, initcodeSize: message.data.length }
  const words = failureWords(error, message.to === undefined ? facts : undefined)
  if (error.error === EVMError.errorMessages.REVERT) return { kind: 'revert', words }
  return { kind: words.startsWith('out of gas') ? 'outOfGas' : 'other', words }
}
