import { checksumAddress } from '../../chain/accounts/address.js'
import { type PooledTransaction, maxFeePerGas } from '../../chain/mempool/transaction.js'
import { bytesToHex, quantity } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import type { PoolQueues } from '../../chain/mempool/mempool.js'
import type { CompatibilityProfile } from '../compatibility.js'
import { ListWriter, type PieceWriter, written } from '../format/pieces.js'
import { pendingTransactionText } from '../format/transaction.js'
import { type Call, type Method, defineMethod, required } from '../method.js'
import { address } from '../params/bytes.js'
import { printJson } from '../wire.js'

/** The methods of the `txpool_` namespace. */
export const txpoolMethods: readonly Method[] = [
  /** txpool_content: returns all pooled transactions by sender and nonce. */
  defineMethod('txpool_content', [], async (call) => {
    const { mempool, settings } = call.backend
    await holdContent(call)
    const address = poolAddresses(settings.compatibility)
    const print = pooledText(settings.compatibility)
    return written((writer) => writePool(mempool.content(), { address, print }, writer))
  }),
  /** txpool_contentFrom: returns a sender's pooled transactions by nonce. */
  defineMethod('txpool_contentFrom', [required('address', address)], async (call, sender) => {
    const { backend } = call
    await holdContent(call)
    const print = pooledText(backend.settings.compatibility)
    return written((writer) => writeQueues(backend.mempool.contentFrom(sender), print, writer))
  }),
  /** txpool_inspect: returns a one-line summary of each pooled transaction, by sender and nonce. */
  defineMethod('txpool_inspect', [], ({ backend: { mempool, settings } }) => {
    const address = poolAddresses(settings.compatibility)
    return written((writer) =>
      writePool(mempool.content(), { address, print: pooledSummary(address) }, writer),
    )
  }),
  /** txpool_status: returns the numbers of executable transactions and of those behind a nonce gap. */
  defineMethod('txpool_status', [], ({ backend }) => {
    const { size, pendingSize: pending } = backend.mempool
    return { pending: quantity(pending), queued: quantity(size - pending) }
  }),
]

/**
 * Counts the memory for the text of pooled transactions, as if it were that of all: two digits a byte.
 *
 * @returns a promise to await if other requests hold too much
 */
export function holdContent({ backend, context }: Call): Promise<void> | undefined {
  return context.memory?.hold(2 * backend.mempool.bytes)
}

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

/** Writes one sender's transactions by decimal nonce. */
export function* writeQueues(
  { pending, queued }: Pick<PoolQueues, 'pending' | 'queued'>,
  print: Printer,
  writer: PieceWriter,
): Steps<void> {
  writer.append('{"pending":')
  yield* writeByNonce(pending, print, writer)
  writer.append(',"queued":')
  yield* writeByNonce(queued, print, writer)
  writer.append('}')
}

/** Writes all senders' transactions by address. */
export function* writePool(
  senders: readonly PoolQueues[],
  { address, print }: { address: AddressWriter; print: Printer },
  writer: PieceWriter,
): Steps<void> {
  writer.append('{"pending":')
  yield* writeSenders('pending')
  writer.append(',"queued":')
  yield* writeSenders('queued')
  writer.append('}')

  function* writeSenders(which: 'pending' | 'queued'): Steps<void> {
    const list = new ListWriter(writer, '{}')
    for (const queues of senders) {
      yield
      const transactions = queues[which]
      if (transactions.length === 0) continue
      list.append(`"${address(queues.sender)}":`)
      yield* writeByNonce(transactions, print, writer)
    }
    list.end()
  }
}

function* writeByNonce(
  transactions: readonly PooledTransaction[],
  print: Printer,
  writer: PieceWriter,
): Steps<void> {
  const list = new ListWriter(writer, '{}')
  for (const pooled of transactions) {
    list.append(`"${pooled.transaction.nonce}":${print(pooled)}`)
    yield
  }
  list.end()
}
