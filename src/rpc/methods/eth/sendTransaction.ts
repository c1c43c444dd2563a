import { UnknownAccountError } from '../../../chain/accounts/keyring.js'
import type { SubmittedTransaction } from '../../../chain/mempool/submitTransaction.js'
import type { Backend } from '../../backend.js'
import { InvalidParamsError, ServerError } from '../../errors.js'
import { defineMethod, optional, required } from '../../method.js'
import { type CallArguments, callObject } from '../../params/callObject.js'
import { big, milliseconds, uint64 } from '../../params/numbers.js'
import { checkHardhatTransaction } from '../hardhatRequest.js'
import { checkNoBlobs, checkSignersChain, transactionRequest } from '../transactionRequest.js'
import { acknowledge, awaitReceipt } from './sendRawTransaction.js'

/** Fills, signs and submits a transaction from an account whose key the node holds, or that it impersonates. */
export function submitCall(backend: Backend, given: CallArguments): Promise<SubmittedTransaction> {
  const { submission, wallet, settings } = backend
  checkSignersChain(backend, given)
  checkNoBlobs(given, settings.compatibility)
  const call = transactionRequest(given, settings.compatibility)
  return submission.sendPrepared(() => wallet.prepare(call))
}

/** eth_sendTransaction: signs a transaction with one of the node's accounts, submits it and returns its hash. */
export const sendTransaction = defineMethod(
  'eth_sendTransaction',
  [required('transaction', callObject)],
  async ({ backend }, call) => {
    const { compatibility } = backend.settings
    if (compatibility.requestChecks === 'hardhat') checkHardhatTransaction(call, backend.chain.chainId)
    return acknowledge(backend, await submitCall(backend, call))
  },
)

/** eth_sendTransactionSync: like eth_sendTransaction, but returns the receipt once the transaction is mined. */
export const sendTransactionSync = defineMethod(
  'eth_sendTransactionSync',
  [required('transaction', callObject), optional('timeout', milliseconds)],
  async (call, transaction, timeout) =>
    awaitReceipt(call, await submitCall(call.backend, transaction), timeout),
)

/** eth_sendUnsignedTransaction: submits an unsigned transaction from any account and returns its hash. */
export const sendUnsignedTransaction = defineMethod(
  'eth_sendUnsignedTransaction',
  [required('transaction', callObject)],
  async ({ backend }, given) => {
    const { submission, wallet, keyring, settings } = backend
    const { requestChecks } = settings.compatibility
    if (given.from === undefined && requestChecks === 'anvil') throw new UnknownAccountError(undefined)
    const { from = keyring.first, ...call } = transactionRequest(given, settings.compatibility)
    if (from === undefined) throw new InvalidParamsError('invalid argument 0: the transaction has no sender')
    const submitted = submission.sendPrepared(() => wallet.prepareUnsigned({ ...call, from }))
    return acknowledge(backend, await submitted)
  },
)

/** eth_resend: replaces a pending transaction by one with another gas price or gas limit. */
export const resend = defineMethod(
  'eth_resend',
  [required('transaction', callObject), optional('gasPrice', big), optional('gas', uint64)],
  async ({ backend }, given, gasPrice, gas) => {
    if (given.nonce === undefined) throw new ServerError('missing transaction nonce in transaction spec')
    const { submission, wallet, settings } = backend
    const call = transactionRequest(given, settings.compatibility)
    return acknowledge(backend, await submission.sendPrepared(() => wallet.resend(call, { gasPrice, gas })))
  },
)
