import { checksumAddress } from '../../chain/accounts/address.js'
import { type PooledTransaction, maxFeePerGas } from '../../chain/mempool/transaction.js'
import { bytesToHex, quantity } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import type { PoolQueues } from '../../chain/mempool/mempool.js'
import type { CompatibilityProfile } from '../compatibility.js'
import { pendingTransactionText } from '../format/transaction.js'
import { type Method, defineMethod, required } from '../method.js'
import { address } from '../params/bytes.js'
import { WireBytes, printJson } from '../wire.js'

/** The methods of the `txpool_` namespace. */
export const txpoolMethods: readonly Method[] = [
  /** txpool_content: returns all pooled transactions by sender and nonce. */
  defineMethod('txpool_content', [], async ({ backend: { mempool, settings } }) => {
    const text = poolText(
      mempool.content(),
      poolAddresses(settings.compatibility),
      pooledText(settings.compatibility),
    )
    return new WireBytes([await runInSlices(text, new TimeSlice())])
  }),
  /** txpool_contentFrom: returns a sender's pooled transactions by nonce. */
  defineMethod('txpool_contentFrom', [required('address', address)], async ({ backend }, sender) => {
    const text = queuesText(backend.mempool.contentFrom(sender), pooledText(backend.settings.compatibility))
    return new WireBytes([await runInSlices(text, new TimeSlice())])
  }),
  /** txpool_inspect: returns a one-line summary of each pooled transaction, by sender and nonce. */
  defineMethod('txpool_inspect', [], async ({ backend: { mempool, settings } }) => {
    const write = poolAddresses(settings.compatibility)
    const text = poolText(mempool.content(), write, pooledSummary(write))
    return new WireBytes([await runInSlices(text, new TimeSlice())])
  }),
  /** txpool_status: returns the numbers of executable transactions and of those behind a nonce gap. */
  defineMethod('txpool_status', [], ({ backend }) => {
    const senders = backend.mempool.content()
    const count = (which: 'pending' | 'queued'): number =>
      senders.reduce((sum, queues) => sum + queues[which].length, 0)
    return { pending: quantity(count('pending')), queued: quantity(count('queued')) }
  }),
]

/** Prints a pooled transaction as JSON text. */
type Printer = (transaction: PooledTransaction) => string

/** Prints pooled transactions as objects. */
export function pooledText(compatibility: CompatibilityProfile): Printer {
  return (transaction) => pendingTransactionText(transaction, compatibility)
}

/** Formats a 20-byte address. */
type AddressWriter = (address: Uint8Array) => string

/** Formats addresses with checksums like geth, without in anvil. */
export function poolAddresses({ checksumsPoolAddresses }: CompatibilityProfile): AddressWriter {
  return checksumsPoolAddresses ? checksumAddress : bytesToHex
}

/** Prints one-line summaries (geth: internal/ethapi/api.go, TxPoolAPI.Inspect). */
export function pooledSummary(write: AddressWriter): Printer {
  return (pooled) => {
    const { to, value, gasLimit } = pooled.transaction
    const target = to === undefined ? 'contract creation' : write(to.bytes)
    return printJson(`${target}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas(pooled.transaction)} wei`)
  }
}

/** Prints one sender's transactions by decimal nonce. */
export function* queuesText(
  { pending, queued }: Pick<PoolQueues, 'pending' | 'queued'>,
  print: Printer,
): Steps<string> {
  return `{"pending":${yield* byNonce(pending, print)},"queued":${yield* byNonce(queued, print)}}`
}

/** Prints all senders' transactions by address. */
export function* poolText(
  senders: readonly PoolQueues[],
  write: AddressWriter,
  print: Printer,
): Steps<string> {
  const parts: string[] = []
  for (const which of ['pending', 'queued'] as const) {
    const members: string[] = []
    for (const queues of senders) {
      if (queues[which].length === 0) continue
      members.push(`"${write(queues.sender)}":${yield* byNonce(queues[which], print)}`)
    }
    parts.push(`"${which}":{${members.join(',')}}`)
  }
  return `{${parts.join(',')}}`
}

function* byNonce(transactions: readonly PooledTransaction[], print: Printer): Steps<string> {
  const members: string[] = []
  for (const pooled of transactions) {
    members.push(`"${pooled.transaction.nonce}":${print(pooled)}`)
    yield
  }
  return `{${members.join(',')}}`
}
