import type { AccessList2930Tx, EOACode7702Tx, TypedTransaction } from '@ethereumjs/tx'
import { serializedTransaction } from '../block/serialized.js'
import { bytesToBigint } from '../../encoding/quantity.js'
import { hexToBytes } from '../../encoding/hex.js'
import type { AccessListEntry, Authorization } from '../calls/callObject.js'
import type { TransactionFields } from './decode.js'
import type { BlobSidecar } from './transaction.js'

/** The fields of a transaction object. */
export function fieldsOf(transaction: TypedTransaction, sidecar?: BlobSidecar): TransactionFields {
  const { type, nonce, gasLimit, value, data, to, v = 0n, r = 0n, s = 0n } = transaction
  const bytes = serializedTransaction(transaction)
  const fields: TransactionFields = {
    type,
    nonce,
    gasLimit,
    value,
    data,
    accessList: [],
    v,
    r,
    s,
    size: bytes.length,
  }
  if (to !== undefined) fields.to = to.bytes
  if (sidecar === undefined) fields.raw = bytes
  else fields.sidecar = sidecar
  if ('chainId' in transaction) fields.chainId = transaction.chainId
  else if (v >= 35n) fields.chainId = (v - 35n) / 2n
  if ('accessList' in transaction) {
    fields.accessList = accessListOf(transaction)
  }
  if ('gasPrice' in transaction) fields.gasPrice = transaction.gasPrice
  if ('maxFeePerGas' in transaction) {
    fields.maxFeePerGas = transaction.maxFeePerGas
    fields.maxPriorityFeePerGas = transaction.maxPriorityFeePerGas
  }
  if ('blobVersionedHashes' in transaction) {
    fields.maxFeePerBlobGas = transaction.maxFeePerBlobGas
    fields.blobVersionedHashes = transaction.blobVersionedHashes.map(hexToBytes)
  }
  if ('authorizationList' in transaction) {
    fields.authorizationList = authorizationListOf(transaction)
  }
  return fields
}

/** The access list of a transaction object. */
export function accessListOf({ accessList }: Pick<AccessList2930Tx, 'accessList'>): AccessListEntry[] {
  return accessList.map(([address, storageKeys]) => ({ address, storageKeys }))
}

/** The authorizations of a transaction object. */
export function authorizationListOf({
  authorizationList,
}: Pick<EOACode7702Tx, 'authorizationList'>): Authorization[] {
  return authorizationList.map(([chainId, address, nonce, yParity, r, s]) => ({
    chainId: bytesToBigint(chainId),
    address,
    nonce: bytesToBigint(nonce),
    yParity: bytesToBigint(yParity),
    r: bytesToBigint(r),
    s: bytesToBigint(s),
  }))
}
