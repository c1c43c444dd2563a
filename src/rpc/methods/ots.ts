import { bytesToHex } from '../../encoding/hex.js'
import { type Method, defineMethod, optional, required } from '../method.js'
import { transactionFrame } from '../otterscan/blockDetails.js'
import { address, hash } from '../params/bytes.js'
import { controlNumber } from '../params/numbers.js'
import { otsBlock } from '../params/blockSelector.js'
import { latestBlock } from './findBlock.js'
import { getBlockDetails, getBlockDetailsByHash } from './ots/getBlockDetails.js'
import { getBlockTransactions } from './ots/getBlockTransactions.js'
import { getContractCreator } from './ots/getContractCreator.js'
import { getInternalOperations } from './ots/getInternalOperations.js'
import { searchTransactionsAfter, searchTransactionsBefore } from './ots/searchTransactionsAfter.js'
import { traceTransaction } from './ots/traceTransaction.js'
import { findBySenderAndNonce } from './senderAndNonce.js'

/** The methods of the `ots_` namespace, for the explorer Otterscan. */
export const otsMethods: readonly Method[] = [
  /** ots_getApiLevel: returns the version of the `ots_` API. */
  defineMethod('ots_getApiLevel', [], () => 8),
  getBlockDetails,
  getBlockDetailsByHash,
  getBlockTransactions,
  getContractCreator,
  getInternalOperations,
  /** ots_getTransactionBySenderAndNonce: returns the hash of a sender's mined transaction with a nonce, or null. */
  defineMethod(
    'ots_getTransactionBySenderAndNonce',
    [required('sender', address), required('nonce', controlNumber)],
    async ({ view }, sender, nonce) => {
      const found = await findBySenderAndNonce(view, sender, nonce)
      const hash = found?.block.transactions[found.index]?.hash
      return hash === undefined ? null : bytesToHex(hash)
    },
  ),
  /**
   * ots_getTransactionError: returns a transaction's revert data, empty if it did not revert; null if it does not
   * exist.
   */
  defineMethod(
    'ots_getTransactionError',
    [required('transactionHash', hash)],
    async (call, transactionHash) => {
      const top = await transactionFrame(call, transactionHash)
      if (top === undefined) return call.backend.settings.compatibility.missing === 'anvil' ? '0x' : null
      return bytesToHex(top.failure === undefined ? new Uint8Array(0) : (top.output ?? new Uint8Array(0)))
    },
  ),
  /** ots_hasCode: returns whether an account is a contract. */
  defineMethod(
    'ots_hasCode',
    [required('address', address), optional('block', otsBlock)],
    async ({ view }, account, selector = latestBlock) => {
      const { state } = await view.stateAt(selector)
      return (await state.getCode(account)).length > 0
    },
  ),
  searchTransactionsAfter,
  searchTransactionsBefore,
  traceTransaction,
]
