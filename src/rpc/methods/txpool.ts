import { checksumAddress } from '../../chain/accounts/address.js'
import { type PooledTransaction, isBlob, maxFeePerGas } from '../../chain/mempool/transaction.js'
import { bytesToHex, quantity } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import type { PoolQueues } from '../../chain/mempool/senderQueue.js'
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
    await holdContent(call)
    const { mempool, settings } = call.backend
    const rule = { compatibility: settings.compatibility, print: pooledText(settings.compatibility) }
    return written((writer) => writePool(mempool.content(), rule, writer))
  }),
  /** txpool_contentFrom: returns a sender's pooled transactions by nonce. */
  defineMethod('txpool_contentFrom', [required('address', address)], async (call, sender) => {
    await holdContent(call)
    const { mempool, settings } = call.backend
    const rule = { compatibility: settings.compatibility, print: pooledText(settings.compatibility) }
    return written((writer) => writeQueues(mempool.contentFrom(sender), rule, writer))
  }),
  /** txpool_inspect: returns a one-line summary of each pooled transaction, by sender and nonce. */
  defineMethod('txpool_inspect', [], ({ backend: { mempool, settings } }) => {
    const { compatibility } = settings
    const rule = { compatibility, print: pooledSummary(compatibility) }
    return written((writer) => writePool(mempool.content(), rule, writer))
  }),
  /**
   * txpool_status: returns the numbers of executable transactions and of those behind a nonce gap, with the blob
   * transactions that the others leave out.
   */
  defineMethod('txpool_status', [], ({ backend }) => {
    const { size, gappedSize, pendingSize: pending } = backend.mempool
    return { pending: quantity(pending), queued: quantity(size - pending + gappedSize) }
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

/** What a listing of the pool shows of each transaction. */
interface ListingRule {
  compatibility: CompatibilityProfile
  print: Printer
}

/** Prints pooled transactions as objects. */
function pooledText(compatibility: CompatibilityProfile): Printer {
  return (transaction) => pendingTransactionText(transaction, compatibility)
}

/** Formats an address with its checksum like geth, without in anvil. */
function poolAddress(bytes: Uint8Array, { checksumsPoolAddresses }: CompatibilityProfile): string {
  return checksumsPoolAddresses ? checksumAddress(bytes) : bytesToHex(bytes)
}

/** Prints one-line summaries (geth: internal/ethapi/api.go, TxPoolAPI.Inspect). */
function pooledSummary(compatibility: CompatibilityProfile): Printer {
  return (pooled) => {
    const { to, value, gasLimit } = pooled.transaction
    const target = to === undefined ? 'contract creation' : poolAddress(to.bytes, compatibility)
    return printJson(`${target}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas(pooled.transaction)} wei`)
  }
}

/** Writes one sender's transactions by decimal nonce. */
function* writeQueues(
  { pending, queued }: Pick<PoolQueues, 'pending' | 'queued'>,
  rule: ListingRule,
  writer: PieceWriter,
): Steps<void> {
  writer.append('{"pending":')
  yield* writeByNonce(listed(pending, rule), rule, writer)
  writer.append(',"queued":')
  yield* writeByNonce(listed(queued, rule), rule, writer)
  writer.append('}')
}

/** Writes all senders' transactions by address. */
function* writePool(senders: readonly PoolQueues[], rule: ListingRule, writer: PieceWriter): Steps<void> {
  writer.append('{"pending":')
  yield* writeSenders('pending')
  writer.append(',"queued":')
  yield* writeSenders('queued')
  writer.append('}')

  function* writeSenders(which: 'pending' | 'queued'): Steps<void> {
    const list = new ListWriter(writer, '{}')
    for (const queues of senders) {
      yield
      const transactions = listed(queues[which], rule)
      if (transactions.length === 0) continue
      list.append(`"${poolAddress(queues.sender, rule.compatibility)}":`)
      yield* writeByNonce(transactions, rule, writer)
    }
    list.end()
  }
}

/** Leaves out blob transactions, which geth's blob pool does not list. A sender has only them, or none. */
function listed(
  transactions: readonly PooledTransaction[],
  { compatibility }: ListingRule,
): readonly PooledTransaction[] {
  const [first] = transactions
  const isListed = compatibility.listsPooledBlobs || first === undefined || !isBlob(first)
  return isListed ? transactions : []
}

function* writeByNonce(
  transactions: readonly PooledTransaction[],
  { print }: ListingRule,
  writer: PieceWriter,
): Steps<void> {
  const list = new ListWriter(writer, '{}')
  for (const pooled of transactions) {
    list.append(`"${pooled.transaction.nonce}":${print(pooled)}`)
    yield
  }
  list.end()
}
