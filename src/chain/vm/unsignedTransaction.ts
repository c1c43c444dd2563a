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
import type { AccessListEntry, Authorization, CallObject } from '../calls/callObject.js'
import { kzg } from '../kzg.js'
import type { ForkRules } from '../types.js'
import type { Message } from './message.js'

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

/** The members of a transaction object, as @ethereumjs/tx holds them. */
type Members = Record<string, unknown>

/**
 * A transaction object of @ethereumjs/tx without a signature, for calls, estimates and simulations.
 *
 * The constructors of the library refuse what a call may do: more gas than EIP-7825 allows, a list that its fork does
 * not know yet, any nonce. So these fields are put into an object with the methods of the library's class. Callers check
 * the fields themselves.
 */
export function unsignedTransaction(fields: UnsignedFields, rules: ForkRules): TypedTransaction {
  const { type, to } = fields
  const empty = emptyTransaction(type)
  const transaction = Object.create(Object.getPrototypeOf(empty) as object) as Members
  transaction['type'] = type
  transaction['activeCapabilities'] = empty['activeCapabilities']
  transaction['txOptions'] = empty['txOptions']
  transaction['common'] = rules
  transaction['cache'] = {}
  transaction['keccakFunction'] = empty['keccakFunction']
  transaction['nonce'] = fields.nonce
  transaction['gasLimit'] = fields.gasLimit
  transaction['to'] = to === undefined ? undefined : new Address(to)
  transaction['value'] = fields.value
  transaction['data'] = fields.data
  if (type < 2) transaction['gasPrice'] = fields.gasPrice ?? 0n
  if (type > 0) {
    transaction['chainId'] = rules.chainId()
    transaction['accessList'] = fields.accessList.map(({ address, storageKeys }) => [address, storageKeys])
  }
  if (type > 1) {
    transaction['maxFeePerGas'] = fields.maxFeePerGas ?? 0n
    transaction['maxPriorityFeePerGas'] = fields.maxPriorityFeePerGas ?? 0n
  }
  if (type === 3) {
    transaction['maxFeePerBlobGas'] = fields.maxFeePerBlobGas ?? 0n
    transaction['blobVersionedHashes'] = (fields.blobVersionedHashes ?? []).map(bytesToHex)
  }
  if (type === 4) {
    transaction['authorizationList'] = (fields.authorizationList ?? []).map(authorizationBytes)
  }
  // eslint-disable-next-line no-restricted-syntax -- an object made member by member has no class that TypeScript sees
  return transaction as unknown as TypedTransaction
}

/**
 * The transaction that a call would be without its signature: of type 2 unless the call says otherwise (geth:
 * internal/ethapi/transaction_args.go, ToTransaction).
 *
 * @param message - of the call, with everything that it left open
 */
export function unsignedTransactionOf(
  { gasPrice, authorizationList, blobVersionedHashes }: CallObject,
  message: Message,
  rules: ForkRules,
): TypedTransaction {
  const { accessList, maxFeePerGas } = message
  const isPriced = gasPrice !== undefined || !rules.isActivatedEIP(1559)
  const legacyType = accessList === undefined ? 0 : 1
  const feeMarketType = authorizationList !== undefined ? 4 : blobVersionedHashes !== undefined ? 3 : 2
  return unsignedTransaction(
    {
      ...message,
      type: isPriced ? legacyType : feeMarketType,
      gasPrice: maxFeePerGas,
      accessList: accessList ?? [],
    },
    rules,
  )
}

function authorizationBytes({ chainId, address, nonce, yParity, r, s }: Authorization): Uint8Array[] {
  return [minimalBytes(chainId), address, ...[nonce, yParity, r, s].map(minimalBytes)]
}

const emptyTransactions = new Map<UnsignedFields['type'], Members>()

/** A transaction of the library by its type, made once: it shows the class and what a type is capable of. */
function emptyTransaction(type: UnsignedFields['type']): Members {
  let transaction = emptyTransactions.get(type)
  if (transaction === undefined) {
    // eslint-disable-next-line no-restricted-syntax -- members of a class are read by name
    transaction = createEmpty(type) as unknown as Members
    emptyTransactions.set(type, transaction)
  }
  return transaction
}

function createEmpty(type: UnsignedFields['type']): TypedTransaction {
  const options = { common: new Common({ chain: Mainnet, hardfork: Hardfork.Osaka, customCrypto: { kzg } }) }
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
      const signature = { yParity: '0x0', r: '0x0', s: '0x0' } as const
      const authorization = { chainId: '0x0', address: to.toString(), nonce: '0x0', ...signature } as const
      return createEOACode7702Tx({ to, authorizationList: [authorization] }, options)
    }
  }
}
