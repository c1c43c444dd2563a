import { GAS_PER_BLOB } from '../block/fees.js'
import { TransactionRejectedError } from '../errors.js'
import type { MempoolOptions } from './options.js'
import type { Entry, SenderQueue } from './senderQueue.js'
import { type PooledTransaction, maxFeePerGas, maxPriorityFeePerGas } from './transaction.js'

/** What a replacement must pay at least, in hundredths of what it replaces (geth: legacypool, PriceBump). */
const REPLACEMENT_PERCENT = 110n
/** The same for blob transactions (geth: blobpool, PriceBump). */
const BLOB_REPLACEMENT_PERCENT = 200n

const FUNDS = 'insufficient funds for gas * price + value'

/**
 * Checks the nonce against the sender's state (geth: core/txpool/validation.go, ValidateTransactionWithState).
 *
 * @throws TransactionRejectedError
 */
export function checkNonce({ transaction: { nonce } }: Entry, queue: SenderQueue): void {
  if (nonce < queue.nonce) throw rejected(`nonce too low: next nonce ${queue.nonce}, tx nonce ${nonce}`)
}

/**
 * Checks what a transaction offers per gas against what the next block takes.
 *
 * @param least - wei per gas
 * @throws TransactionRejectedError in the words of anvil, which geth has for calls only
 */
export function checkFeeCap({ transaction }: Entry, least: bigint): void {
  if (maxFeePerGas(transaction) < least) throw rejected('max fee per gas less than block base fee')
}

/**
 * Checks the funds against the sender's state and its other pending transactions; comes after {@link checkNonce} in
 * the same function of geth.
 *
 * @throws TransactionRejectedError
 */
export function checkFunds({ transaction, cost }: Entry, queue: SenderQueue): void {
  const { nonce } = transaction
  const { balance } = queue
  if (balance < cost) {
    throw rejected(`${FUNDS}: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`)
  }
  const spent = queue.pendingCost
  const previous = queue.isPending(nonce) ? queue.at(nonce) : undefined
  const more = cost - (previous?.cost ?? 0n)
  if (spent + more <= balance) return
  const words = previous === undefined ? `tx cost ${cost}` : `tx bumped ${more}`
  throw rejected(
    `${FUNDS}: balance ${balance}, queued cost ${spent}, ${words}, overshot ${spent + more - balance}`,
  )
}

/**
 * A sender has either blob transactions waiting or others, never both; blob transactions leave no gap.
 *
 * @throws TransactionRejectedError
 */
export function checkKind(entry: Entry, queue: SenderQueue): void {
  const [first] = queue.entries
  if (first !== undefined && isBlob(first) !== isBlob(entry)) throw rejected('address already reserved')
  const { nonce } = entry.transaction
  if (isBlob(entry) && nonce > queue.nextNonce) {
    throw rejected(`nonce too high: tx nonce ${nonce}, gapped nonce ${queue.nextNonce}`)
  }
}

/** The least wei per gas with which a fee of another transaction is replaced. */
export function leastReplacement(fee: bigint): bigint {
  const bumped = (fee * REPLACEMENT_PERCENT) / 100n
  return bumped > fee ? bumped : fee + 1n
}

/**
 * A transaction with the nonce of another must pay more of both fees, or of the cap where that is enough.
 *
 * @throws TransactionRejectedError
 */
export function checkReplacement(
  entry: Entry,
  replaced: Entry,
  { capReplaces }: Pick<Required<MempoolOptions>, 'capReplaces'>,
): void {
  if (capReplaces && maxFeePerGas(entry.transaction) > maxFeePerGas(replaced.transaction)) return
  if (isBlob(entry)) return checkBlobReplacement(entry, replaced)
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  for (const [name, fee] of Object.entries(fees)) {
    const least = leastReplacement(fee(replaced.transaction))
    if (fee(entry.transaction) >= least) continue
    const { nonce } = entry.transaction
    throw new TransactionRejectedError('replacement transaction underpriced', { name, least, nonce })
  }
}

function checkBlobReplacement(entry: Entry, replaced: Entry): void {
  const fees: [name: string, fee: (transaction: PooledTransaction['transaction']) => bigint][] = [
    ['gas fee cap', maxFeePerGas],
    ['gas tip cap', maxPriorityFeePerGas],
    ['blob gas fee cap', blobFee],
  ]
  for (const [name, fee] of fees) {
    const [now, before] = [fee(entry.transaction), fee(replaced.transaction)]
    const words = `replacement transaction underpriced: new tx ${name} ${now}`
    if (now <= before) throw rejected(`${words} <= ${before} queued`)
    if (now < (before * BLOB_REPLACEMENT_PERCENT) / 100n) {
      throw rejected(`${words} < ${before} queued + 100% replacement penalty`)
    }
  }
}

function isBlob({ transaction }: Entry): boolean {
  return 'blobVersionedHashes' in transaction
}

function blobFee(transaction: PooledTransaction['transaction']): bigint {
  return 'maxFeePerBlobGas' in transaction ? transaction.maxFeePerBlobGas : 0n
}

function rejected(words: string): TransactionRejectedError {
  return new TransactionRejectedError(words)
}

/**
 * Checks a transaction against the state of its sender and against what waits already.
 *
 * @param size - how many transactions wait
 * @returns the transaction whose place it takes, if any
 * @throws TransactionRejectedError in geth's words and order.
 */
export function validateWithState(
  entry: Entry,
  queue: SenderQueue,
  { options, size }: { options: Required<MempoolOptions>; size: number },
): Entry | undefined {
  const baseFee = options.automineBaseFee()
  if (baseFee !== undefined) checkAutomine(entry, queue, baseFee)
  checkFeeCap(entry, options.minimumFeeCap())
  checkNonce(entry, queue)
  if (!options.withoutFunds) checkFunds(entry, queue)
  checkKind(entry, queue)
  const replaced = queue.at(entry.transaction.nonce)
  if (replaced !== undefined) checkReplacement(entry, replaced, options)
  else if (size >= options.capacity) throw new TransactionRejectedError('txpool is full')
  return replaced
}

/** Wei that the sender of a transaction needs at most: gas, value and blobs. */
export function costOf(transaction: PooledTransaction['transaction']): bigint {
  const gas = transaction.gasLimit * maxFeePerGas(transaction)
  if (!('blobVersionedHashes' in transaction)) return gas + transaction.value
  const blobGas = BigInt(transaction.blobVersionedHashes.length) * GAS_PER_BLOB
  return gas + transaction.value + blobGas * transaction.maxFeePerBlobGas
}

/**
 * Checks that the next block can take a transaction: its nonce is the next one, and its fee reaches the base fee. The
 * refusals are those of hardhat under automine (EDR: edr_provider, data.rs), word by word.
 *
 * @param baseFee - of the next block, in wei per gas
 * @throws TransactionRejectedError
 */
export function checkAutomine(
  { transaction }: Pick<PooledTransaction, 'transaction'>,
  { nextNonce }: Pick<SenderQueue, 'nextNonce'>,
  baseFee: bigint,
): void {
  const { nonce } = transaction
  if (nonce !== nextNonce) {
    throw new TransactionRejectedError(
      `Nonce too ${nonce < nextNonce ? 'low' : 'high'}. Expected nonce to be ${nextNonce} but got ${nonce}. ` +
        "Note that transactions can't be queued when automining.",
    )
  }
  const fee = maxFeePerGas(transaction)
  if (fee >= baseFee) return
  const name = 'maxFeePerGas' in transaction ? 'maxFeePerGas' : 'gasPrice'
  throw new TransactionRejectedError(
    `Transaction ${name} (${fee}) is too low for the next block, which has a baseFeePerGas of ${baseFee}`,
  )
}
