import {
  createAccessList2930Tx,
  createBlob4844Tx,
  createEOACode7702Tx,
  createFeeMarket1559Tx,
  createLegacyTx,
  type TypedTransaction,
} from '@ethereumjs/tx'
import { Address } from '@ethereumjs/util'
import { bytesToHex, type Hex } from '../../encoding/hex.js'
import { quantity } from '../../encoding/quantity.js'
import { TransactionRejectedError } from '../errors.js'
import type { AccessListEntry, Authorization } from '../calls/callObject.js'
import type { ForkRules } from '../types.js'
import type { TransactionFields } from './decode.js'
import { MAX_TRANSACTION_GAS } from '../vm/preCheck.js'

/** A transaction's fields with or without its signature. */
export type CreatableFields = Omit<TransactionFields, 'v' | 'r' | 's' | 'size' | 'raw' | 'sidecar'> &
  Partial<Pick<TransactionFields, 'v' | 'r' | 's'>>

const MAX_UINT64 = 2n ** 64n - 1n
/** EIP-4844, VERSIONED_HASH_VERSION_KZG. */
const BLOB_HASH_VERSION = 0x01
const MAX_UINT256 = 2n ** 256n - 1n

/** The fork that first has a type of transactions. */
const typeForks: Readonly<Record<TransactionFields['type'], { eip: number; name: string } | undefined>> = {
  0: undefined,
  1: { eip: 2930, name: 'Berlin' },
  2: { eip: 1559, name: 'London' },
  3: { eip: 4844, name: 'Cancun' },
  4: { eip: 7702, name: 'Prague' },
}

/**
 * ethereumjs' object for a transaction; a blob transaction is without its sidecar, as blocks hold it.
 *
 * @throws TransactionRejectedError in geth's words if the fork does not know the type or refuses the fields, or numbers
 *   are too large for any account to send them.
 * @throws Error if the fields break a rule that the mempool checks before.
 */
export function createTransaction(fields: CreatableFields, rules: ForkRules): TypedTransaction {
  checkMagnitudes(fields)
  checkType(fields.type, rules)
  checkRules(fields, rules)
  // Not frozen: the sender is put into it when it runs.
  const options = { common: rules, allowUnlimitedInitCodeSize: true, freeze: false }
  const { type, nonce, gasLimit, value, data, v, r, s } = fields
  const shared = {
    nonce,
    gasLimit,
    value,
    data,
    ...(fields.to === undefined ? {} : { to: new Address(fields.to) }),
    ...(v === undefined ? {} : { v, r, s }),
  }
  if (type === 0) return createLegacyTx({ ...shared, gasPrice: fields.gasPrice }, options)
  const typed = { ...shared, chainId: fields.chainId, accessList: toAccessList(fields.accessList) }
  if (type === 1) return createAccessList2930Tx({ ...typed, gasPrice: fields.gasPrice }, options)
  const { maxFeePerGas, maxPriorityFeePerGas } = fields
  const feeMarket = { ...typed, maxFeePerGas, maxPriorityFeePerGas }
  if (type === 2) return createFeeMarket1559Tx(feeMarket, options)
  if (type === 3) {
    const blobVersionedHashes = (fields.blobVersionedHashes ?? []).map(bytesToHex)
    return createBlob4844Tx(
      { ...feeMarket, maxFeePerBlobGas: fields.maxFeePerBlobGas, blobVersionedHashes },
      options,
    )
  }
  const authorizationList = (fields.authorizationList ?? []).map(toAuthorization)
  return createEOACode7702Tx({ ...feeMarket, authorizationList }, options)
}

/** ethereumjs has no words of its own for callers here: it takes such fields for a mistake of the program. */
function checkMagnitudes({ nonce, gasLimit, gasPrice = 0n, maxFeePerGas = 0n }: CreatableFields): void {
  if (nonce >= MAX_UINT64) throw new TransactionRejectedError('nonce has max value')
  const price = gasPrice > maxFeePerGas ? gasPrice : maxFeePerGas
  if (gasLimit * price > MAX_UINT256) {
    throw new TransactionRejectedError(
      'insufficient funds for gas * price + value: required balance exceeds 256 bits',
    )
  }
}

/** @throws TransactionRejectedError if the fork does not know a type of transactions */
export function checkType(type: TransactionFields['type'], rules: ForkRules): void {
  const fork = typeForks[type]
  if (fork === undefined || rules.isActivatedEIP(fork.eip)) return
  throw new TransactionRejectedError(
    `transaction type not supported: type ${type} rejected, pool not yet in ${fork.name}`,
  )
}

/** @throws TransactionRejectedError if the gas of a transaction is above the fork's cap (EIP-7825) */
export function checkGasLimit(gasLimit: bigint, rules: ForkRules): void {
  if (!rules.isActivatedEIP(7825) || gasLimit <= MAX_TRANSACTION_GAS) return
  throw new TransactionRejectedError(
    `transaction gas limit too high (cap: ${MAX_TRANSACTION_GAS}, tx: ${gasLimit})`,
  )
}

/** What the library takes for a mistake of the program, in the words of the mempool. */
function checkRules(
  { type, gasLimit, authorizationList, blobVersionedHashes = [] }: CreatableFields,
  rules: ForkRules,
): void {
  checkGasLimit(gasLimit, rules)
  if (type === 4 && authorizationList?.length === 0) {
    throw new TransactionRejectedError('set code tx must have at least one authorization tuple')
  }
  const wrong = blobVersionedHashes.findIndex((hash) => hash[0] !== BLOB_HASH_VERSION)
  if (wrong >= 0) throw new TransactionRejectedError(`blob ${wrong} has invalid hash version`)
}

function toAccessList(list: readonly AccessListEntry[]): { address: Hex; storageKeys: Hex[] }[] {
  return list.map(({ address, storageKeys }) => ({
    address: bytesToHex(address),
    storageKeys: storageKeys.map(bytesToHex),
  }))
}

function toAuthorization({ chainId, address, nonce, yParity, r, s }: Authorization) {
  return {
    chainId: quantity(chainId),
    address: bytesToHex(address),
    nonce: quantity(nonce),
    yParity: quantity(yParity),
    r: quantity(r),
    s: quantity(s),
  }
}
