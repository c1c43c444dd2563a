import { ExecutionFailedError, FailedTransactionError } from '../../../chain/errors.js'
import { REVERTED, revertError } from '../../../chain/evm/revertReason.js'
import type { SubmittedTransaction } from '../../../chain/mempool/submitTransaction.js'
import { bytesToHex } from '../../../encoding/hex.js'
import type { Backend } from '../../backend.js'
import { RpcError } from '../../errors.js'
import { type Call, defineMethod, optional, required } from '../../method.js'
import { data } from '../../params/bytes.js'
import { milliseconds } from '../../params/numbers.js'
import { WireBytes } from '../../wire.js'
import { checkHardhatRawTransaction } from '../hardhatRequest.js'
import { receiptWire } from './receipts.js'

/** eth_sendRawTransaction: submits a signed transaction and returns its hash. */
export const sendRawTransaction = defineMethod(
  'eth_sendRawTransaction',
  [required('transaction', data)],
  async ({ backend }, raw) => {
    if (backend.settings.compatibility.requestChecks === 'hardhat') checkHardhatRawTransaction(raw)
    return acknowledge(backend, await backend.submission.sendRaw(raw))
  },
)

/** eth_sendRawTransactionSync: submits a signed transaction and returns its receipt once it is mined (EIP-7966). */
export const sendRawTransactionSync = defineMethod(
  'eth_sendRawTransactionSync',
  [required('transaction', data), optional('timeout', milliseconds)],
  async (call, raw, timeout) => awaitReceipt(call, await call.backend.submission.sendRaw(raw), timeout),
)

/** Default and maximum wait for a receipt, in milliseconds (geth: internal/ethapi/api.go). */
const DEFAULT_TIMEOUT = 20_000
const MAX_TIMEOUT = 60_000
/** Error code of a timeout (EIP-7966). */
const TIMED_OUT = 4

/**
 * Waits for the receipt of a transaction just submitted.
 *
 * @throws RpcError on timeout; the transaction remains pending
 */
export function awaitReceipt(
  call: Call,
  { hash }: SubmittedTransaction,
  timeout = DEFAULT_TIMEOUT,
): Promise<WireBytes> {
  const { view, backend, context } = call
  const limit = Math.min(timeout || DEFAULT_TIMEOUT, MAX_TIMEOUT)
  return new Promise((resolve, reject) => {
    // Runs as a listener: an exception would reach the request that mined the block instead of the sender.
    const look = (): void => {
      try {
        const location = view.transactionLocation(hash)
        if (location === undefined) return
        stop()
        resolve(new WireBytes([receiptWire(call, location.block, location.index)]))
      } catch (fault) {
        stop()
        reject(fault)
      }
    }
    const giveUp = (): void => {
      stop()
      const message = `The transaction was added to the transaction pool but wasn't processed in ${limit / 1000}s`
      reject(new RpcError(TIMED_OUT, message, { data: bytesToHex(hash) }))
    }
    const end = backend.events.subscribe(({ type }) => {
      if (type === 'head') look()
    })
    const timer = setTimeout(giveUp, limit)
    const stop = (): void => {
      clearTimeout(timer)
      end()
      context.signal?.removeEventListener('abort', giveUp)
    }
    context.signal?.addEventListener('abort', giveUp)
    look()
  })
}

/**
 * Returns the hash of an accepted transaction. In hardhat, one that automine has mined counts as a snapshot, and if it
 * failed, its failure is thrown instead; it stays mined.
 *
 * @throws FailedTransactionError in hardhat's compatibility
 */
export function acknowledge(
  { settings, controls }: Pick<Backend, 'settings' | 'controls'>,
  { hash, mined }: SubmittedTransaction,
): string {
  const { compatibility } = settings
  if (mined !== undefined && compatibility.minedTransactionsCountAsSnapshots) controls.skipSnapshot()
  if (!compatibility.reportsMinedFailures || mined?.failure === undefined) return bytesToHex(hash)
  throw new FailedTransactionError(
    hash,
    mined.failure === REVERTED
      ? revertError(mined.output ?? new Uint8Array(0))
      : new ExecutionFailedError(mined.failure),
  )
}
