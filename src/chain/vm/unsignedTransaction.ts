import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import {
  createAccessList2930Tx,
  createBlob4844Tx,
  createEOACode7702Tx,
  createFeeMarket1559Tx,
  createLegacyTx,
  type TypedTransaction,
} from '@ethereumjs/tx'
import { Address, createZeroAddress } from '@ethereumjs/util'
import { bytesToHex } from '../../encoding/hex.js'
import { minimalBytes } from '../../encoding/quantity.js'
import type { AccessListEntry, Authorization } from '../execution/callObject.js'
import { kzg } from '../kzg.js'
import type { ForkRules } from '../types.js'

/** The fields of a transaction, without its signature. Amounts are wei. */
export interface UnsignedFields {
  type: 0 | 1 | 2 | 3 | 4
  nonce: bigint
  gasLimit: bigint
  /** 20 bytes; absent for a contract creation. */
  to?: Uint8Array | undefined
  value: bigint
  data: Uint8Array
  /** Types 0 and 1. */
  gasPrice?: bigint | undefined
  /** Types 2, 3 and 4. */
  maxFeePerGas?: bigint | undefined
  maxPriorityFeePerGas?: bigint | undefined
  accessList: readonly AccessListEntry[]
  /** Type 3. */
  maxFeePerBlobGas?: bigint | undefined
  /** Type 3; 32 bytes each. */
  blobVersionedHashes?: readonly Uint8Array[] | undefined
  /** Type 4. */
  authorizationList?: readonly Authorization[] | undefined
}

/**
 * A transaction object of @ethereumjs/tx without a signature, for calls, estimates and simulations.
 *
 * The constructors of the library refuse what a call may do: more gas than EIP-7825 allows, a list that its fork does
 * not know yet, any nonce. So the object is a copy of an empty transaction of the same type with these fields in it.
 * The methods are the library's. Callers check the fields themselves.
 */
export function unsignedTransaction(fields: UnsignedFields, rules: ForkRules): TypedTransaction {
  const { type, nonce, gasLimit, to, value, data } = fields
  const empty = emptyTransaction(type)
  const transaction: object = Object.create(Object.getPrototypeOf(empty) as object)
  return Object.assign(transaction, empty, typedFields(fields, rules), {
    common: rules,
    cache: {},
    nonce,
    gasLimit,
    to: to && new Address(to),
    value,
    data,
  }) as TypedTransaction
}

/** What a type adds to the fields of legacy transactions, as @ethereumjs/tx holds it. */
function typedFields(fields: UnsignedFields, rules: ForkRules): object {
  const { type, gasPrice = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = fields
  if (type === 0) return { gasPrice }
  const typed = {
    chainId: rules.chainId(),
    accessList: fields.accessList.map(({ address, storageKeys }) => [address, storageKeys]),
  }
  if (type === 1) return { ...typed, gasPrice }
  const feeMarket = { ...typed, maxFeePerGas, maxPriorityFeePerGas }
  if (type === 2) return feeMarket
  const { maxFeePerBlobGas = 0n, blobVersionedHashes = [], authorizationList = [] } = fields
  return type === 3
    ? { ...feeMarket, maxFeePerBlobGas, blobVersionedHashes: blobVersionedHashes.map(bytesToHex) }
    : { ...feeMarket, authorizationList: authorizationList.map(authorizationBytes) }
}

function authorizationBytes({ chainId, address, nonce, yParity, r, s }: Authorization): Uint8Array[] {
  return [minimalBytes(chainId), address, ...[nonce, yParity, r, s].map(minimalBytes)]
}

const emptyTransactions = new Map<UnsignedFields['type'], TypedTransaction>()

/** The empty transaction of a type, made once. What its constructor insists on is overwritten in each copy. */
function emptyTransaction(type: UnsignedFields['type']): TypedTransaction {
  let transaction = emptyTransactions.get(type)
  if (transaction === undefined) {
    transaction = createEmpty(type)
    emptyTransactions.set(type, transaction)
  }
  return transaction
}

function createEmpty(type: UnsignedFields['type']): TypedTransaction {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Osaka, customCrypto: { kzg } })
  const options = { common, freeze: false }
  const to = createZeroAddress()
  switch (type) {
    case 0:
      return createLegacyTx({}, options)
    case 1:
      return createAccessList2930Tx({}, options)
    case 2:
      return createFeeMarket1559Tx({}, options)
    case 3:
      return createBlob4844Tx({ to, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }, options)
    case 4: {
      const zero = '0x0'
      const authorization = {
        chainId: zero,
        address: to.toString(),
        nonce: zero,
        yParity: zero,
        r: zero,
        s: zero,
      } as const
      return createEOACode7702Tx({ to, authorizationList: [authorization] }, options)
    }
  }
}
