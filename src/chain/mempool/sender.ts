import { rememberSerialized, serializedTransaction } from '../block/serialized.js'
import { recover } from '../crypto.js'
import { TransactionRejectedError } from '../errors.js'
import { keccak256 } from '../keccak.js'
import { encodeList, encodeRlp, itemEnd, listStart } from '../rlp.js'
import type { ForkRules } from '../types.js'
import { createTransaction } from './create.js'
import type { TransactionFields } from './decode.js'
import type { PooledTransaction } from './transaction.js'

/** v (or the parity of y), r and s. */
const SIGNATURE_FIELDS = 3
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Checks that a transaction is signed for this chain (geth: core/types/transaction_signing.go).
 *
 * @throws TransactionRejectedError
 */
export function checkSignature({ type, chainId, v, r, s }: TransactionFields, rules: ForkRules): void {
  if (chainId !== undefined && chainId !== rules.chainId()) {
    throw new TransactionRejectedError(
      `invalid sender: invalid chain id for signer: have ${chainId} want ${rules.chainId()}`,
      { type: BigInt(type) },
    )
  }
  const isVersionSound = type === 0 ? v === 27n || v === 28n || v >= 35n : v <= 1n
  const largestS = rules.gteHardfork('homestead') ? CURVE_ORDER / 2n : CURVE_ORDER - 1n
  if (!isVersionSound || r === 0n || r >= CURVE_ORDER || s === 0n || s > largestS) {
    throw invalidSender('invalid transaction v, r, s values')
  }
}

/**
 * A signed transaction with its hash and its sender, who is recovered from the signature.
 *
 * @throws TransactionRejectedError if the signature belongs to no key, or the fields cannot be.
 */
export function recoverTransaction(fields: TransactionFields, rules: ForkRules): PooledTransaction {
  const transaction = create(fields, rules)
  const { sidecar } = fields
  return {
    transaction,
    hash: keccak256(serializedTransaction(transaction)),
    sender: recoverSender(transaction, fields),
    impersonated: false,
    sidecar,
  }
}

/** The hash that the sender of a transaction has signed. */
function signedHash(
  transaction: PooledTransaction['transaction'],
  raw: TransactionFields['raw'],
): Uint8Array {
  if (transaction.type !== 0 && raw !== undefined) return keccak256(withoutSignature(raw))
  const message = transaction.getMessageToSign()
  return keccak256(message instanceof Uint8Array ? message : encodeRlp(message))
}

/** A typed transaction's encoding without its last three fields, which are what is signed (EIP-2930, EIP-1559, EIP-7702). */
function withoutSignature(raw: Uint8Array): Uint8Array {
  const list = raw.subarray(1)
  const starts: number[] = []
  const start = listStart(list)
  for (let at = start; at < list.length; at = itemEnd(list, at)) starts.push(at)
  const unsigned = encodeList([list.subarray(start, starts.at(-SIGNATURE_FIELDS))])
  const typed = new Uint8Array(unsigned.length + 1)
  typed.set(raw.subarray(0, 1))
  typed.set(unsigned, 1)
  return typed
}

/** What ethereumjs refuses beyond the checks of the mempool is the transaction's fault as well: sums beyond 256 bits. */
function create(fields: TransactionFields, rules: ForkRules): PooledTransaction['transaction'] {
  try {
    const transaction = createTransaction(fields, rules)
    if (fields.raw !== undefined) rememberSerialized(transaction, fields.raw)
    return transaction
  } catch (error) {
    throw new TransactionRejectedError(error instanceof Error ? error.message : String(error))
  }
}

function recoverSender(
  transaction: PooledTransaction['transaction'],
  { v, r, s, type, raw }: TransactionFields,
): Uint8Array {
  // 27 and 35 are odd, and EIP-155 adds an even number.
  const yParity = (type === 0 ? v + 1n : v) % 2n === 0n ? 0 : 1
  try {
    return recover(signedHash(transaction, raw), { r, s, yParity })
  } catch {
    throw invalidSender('recovery failed')
  }
}

function invalidSender(words: string): TransactionRejectedError {
  return new TransactionRejectedError(`invalid sender: ${words}`)
}
