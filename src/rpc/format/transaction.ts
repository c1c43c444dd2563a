import type { BlobSidecar } from '../../chain/mempool/transaction.js'
import type { SealedTransaction } from '../../chain/block/record.js'
import type { CompatibilityProfile } from '../compatibility.js'
import { bytesToBigint } from '../../encoding/hex.js'
import { type BlockReference, jsonBytes, jsonQuantity, quantityMember } from './pieces.js'

type TypedTransaction = SealedTransaction['transaction']
type AccessListBytes = Extract<TypedTransaction, { accessList: unknown }>['accessList']
type AuthorizationListBytes = Extract<TypedTransaction, { authorizationList: unknown }>['authorizationList']

/** A transaction and its sender. */
export type Sent = Pick<SealedTransaction, 'transaction' | 'hash' | 'sender'>

/** Position of a mined transaction. */
export interface MinedAt {
  block: BlockReference
  index: number
}

/**
 * Returns a transaction object as JSON text, its members in geth's order (internal/ethapi/api.go, RPCTransaction).
 * Without a position it is pending, and the members about its block are null.
 *
 * @param baseFee - wei per gas, from which the gas price follows; undefined means the fee cap
 */
export function transactionText(
  { transaction, hash, sender }: Sent,
  at: MinedAt | undefined,
  baseFee = at?.block.baseFee,
): string {
  return (
    `{"blockHash":${at?.block.hash ?? 'null'},"blockNumber":${at?.block.number ?? 'null'}` +
    `,"blockTimestamp":${at?.block.timestamp ?? 'null'},"from":${jsonBytes(sender)}` +
    `,"gas":${jsonQuantity(transaction.gasLimit)},"gasPrice":${jsonQuantity(gasPrice(transaction, baseFee))}` +
    feeCaps(transaction) +
    `,"hash":${jsonBytes(hash)},"input":${jsonBytes(transaction.data)},"nonce":${jsonQuantity(transaction.nonce)}` +
    `,"to":${recipient(transaction)},"transactionIndex":${at === undefined ? 'null' : jsonQuantity(at.index)}` +
    `,"value":${jsonQuantity(transaction.value)},"type":"0x${transaction.type}"` +
    typedMembers(transaction, chainId(transaction)) +
    signature(transaction) +
    '}'
  )
}

/**
 * Returns a pending transaction; in anvil it has no block time.
 *
 * @param baseFee - as in {@link transactionText}
 */
export function pendingTransactionText(
  sent: Sent,
  { pendingTransactionsHaveTimestamp }: Pick<CompatibilityProfile, 'pendingTransactionsHaveTimestamp'>,
  baseFee?: bigint,
): string {
  const text = transactionText(sent, undefined, baseFee)
  return pendingTransactionsHaveTimestamp ? text : text.replace(',"blockTimestamp":null', '')
}

/**
 * Returns a transaction as in eth_signTransaction: without block and sender (geth:
 * core/types/transaction_marshalling.go). Where geth has null, the specification requires the maximum price per gas,
 * and omits fees that the type lacks.
 */
export function signedTransactionText({
  transaction,
  hash,
  sidecar,
}: Pick<Sent, 'transaction' | 'hash'> & { sidecar?: BlobSidecar }): string {
  const dynamic = 'maxFeePerGas' in transaction
  return (
    `{"type":"0x${transaction.type}"${isUnsignedLegacy(transaction) ? '' : chainId(transaction)}` +
    `,"nonce":${jsonQuantity(transaction.nonce)}` +
    `,"to":${recipient(transaction)},"gas":${jsonQuantity(transaction.gasLimit)}` +
    quantityMember('gasPrice', gasPrice(transaction, undefined)) +
    quantityMember('maxPriorityFeePerGas', dynamic ? transaction.maxPriorityFeePerGas : undefined) +
    quantityMember('maxFeePerGas', dynamic ? transaction.maxFeePerGas : undefined) +
    quantityMember(
      'maxFeePerBlobGas',
      'maxFeePerBlobGas' in transaction ? transaction.maxFeePerBlobGas : undefined,
    ) +
    `,"value":${jsonQuantity(transaction.value)},"input":${jsonBytes(transaction.data)}` +
    typedMembers(transaction, '') +
    signature(transaction) +
    (sidecar === undefined ? '' : sidecarMembers(sidecar)) +
    `,"hash":${jsonBytes(hash)}}`
  )
}

function sidecarMembers({ blobs, commitments, proofs }: BlobSidecar): string {
  return Object.entries({ blobs, commitments, proofs })
    .map(([name, list]) => `,"${name}":[${list.map(jsonBytes).join(',')}]`)
    .join('')
}

/** Returns the price per gas that a mined transaction paid, or the maximum of a pending one. */
function gasPrice(transaction: TypedTransaction, baseFee: bigint | undefined): bigint {
  if (!('maxFeePerGas' in transaction)) return transaction.gasPrice
  if (baseFee === undefined) return transaction.maxFeePerGas
  const price = baseFee + transaction.maxPriorityFeePerGas
  return price < transaction.maxFeePerGas ? price : transaction.maxFeePerGas
}

function feeCaps(transaction: TypedTransaction): string {
  if (!('maxFeePerGas' in transaction)) return ''
  return (
    quantityMember('maxFeePerGas', transaction.maxFeePerGas) +
    quantityMember('maxPriorityFeePerGas', transaction.maxPriorityFeePerGas) +
    ('maxFeePerBlobGas' in transaction
      ? quantityMember('maxFeePerBlobGas', transaction.maxFeePerBlobGas)
      : '')
  )
}

function recipient({ to }: TypedTransaction): string {
  return to === undefined ? 'null' : jsonBytes(to.bytes)
}

function typedMembers(transaction: TypedTransaction, chain: string): string {
  if (!('accessList' in transaction)) return chain
  let text = `,"accessList":${accessListText(transaction.accessList)}${chain}`
  if ('blobVersionedHashes' in transaction && transaction.blobVersionedHashes.length > 0) {
    text += `,"blobVersionedHashes":${JSON.stringify(transaction.blobVersionedHashes)}`
  }
  if ('authorizationList' in transaction && transaction.authorizationList.length > 0) {
    text += `,"authorizationList":${authorizationListText(transaction.authorizationList)}`
  }
  return text
}

/** Geth's result for the missing v of a simulated legacy transaction: half of -35 in 64 bits (deriveChainId). */
const unsignedChainId = ',"chainId":"0x7fffffffffffffee"'

/** Without a signature there is no replay protection, so geth omits the chain id here. */
function isUnsignedLegacy(transaction: TypedTransaction): boolean {
  return transaction.type === 0 && transaction.v === undefined
}

/** Legacy transactions have a chain id only with replay protection (EIP-155: v is 35 or more). */
function chainId(transaction: TypedTransaction): string {
  if ('chainId' in transaction) return quantityMember('chainId', transaction.chainId)
  const { v } = transaction
  if (v === undefined) return unsignedChainId
  return v >= 35n ? quantityMember('chainId', (v - 35n) / 2n) : ''
}

function signature(transaction: TypedTransaction): string {
  const { v = 0n, r = 0n, s = 0n } = transaction
  const text = `,"v":${jsonQuantity(v)},"r":${jsonQuantity(r)},"s":${jsonQuantity(s)}`
  return transaction.type === 0 ? text : `${text},"yParity":${jsonQuantity(v)}`
}

function accessListText(accessList: AccessListBytes): string {
  const entries = accessList.map(
    ([address, keys]) => `{"address":${jsonBytes(address)},"storageKeys":[${keys.map(jsonBytes).join(',')}]}`,
  )
  return `[${entries.join(',')}]`
}

function authorizationListText(authorizations: AuthorizationListBytes): string {
  const entries = authorizations.map(
    ([chain, address, nonce, yParity, r, s]) =>
      `{"chainId":${minimal(chain)},"address":${jsonBytes(address)},"nonce":${minimal(nonce)}` +
      `,"yParity":${minimal(yParity)},"r":${minimal(r)},"s":${minimal(s)}}`,
  )
  return `[${entries.join(',')}]`
}

function minimal(bytes: Uint8Array): string {
  return jsonQuantity(bytesToBigint(bytes))
}
