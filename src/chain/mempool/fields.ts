import type { TypedTransaction } from '@ethereumjs/tx'
import { serializedTransaction } from '../block/serialized.js'
import { bytesToBigint } from '../../encoding/quantity.js'
import { hexToBytes } from '../../encoding/hex.js'
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
    fields.accessList = transaction.accessList.map(([address, storageKeys]) => ({ address, storageKeys }))
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
    fields.authorizationList = transaction.authorizationList.map(
      ([chainId, address, authorizationNonce, yParity, signatureR, signatureS]) => ({
        chainId: bytesToBigint(chainId),
        address,
        nonce: bytesToBigint(authorizationNonce),
        yParity: bytesToBigint(yParity),
        r: bytesToBigint(signatureR),
        s: bytesToBigint(signatureS),
      }),
    )
  }
  return fields
}
