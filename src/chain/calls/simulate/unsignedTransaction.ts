import type { TypedTransaction } from '@ethereumjs/tx'
import type { CallObject } from '../callObject.js'
import type { Message } from '../../vm/message.js'
import { createTransaction, type CreatableFields } from '../../mempool/create.js'
import type { TransactionType } from '../../mempool/decode.js'
import type { ForkRules } from '../../types.js'

/** The library takes no nonce from here on; a simulated account may have this one. */
const MAX_NONCE = 2n ** 64n - 1n

/**
 * The transaction that a call would be without its signature: of type 2 unless the call says otherwise (geth:
 * internal/ethapi/transaction_args.go, ToTransaction). The message has passed all checks.
 */
export function unsignedTransaction(call: CallObject, message: Message, rules: ForkRules): TypedTransaction {
  const { to, nonce, gasLimit, value, data, maxFeePerGas, maxPriorityFeePerGas, accessList } = message
  const fields: CreatableFields = {
    type: typeOf(call, rules),
    chainId: rules.chainId(),
    nonce: nonce === MAX_NONCE ? 0n : nonce,
    gasLimit,
    gasPrice: maxFeePerGas,
    maxFeePerGas,
    maxPriorityFeePerGas,
    ...(to !== undefined && { to }),
    value,
    data,
    accessList,
    ...(message.maxFeePerBlobGas !== undefined && { maxFeePerBlobGas: message.maxFeePerBlobGas }),
    ...(message.blobVersionedHashes !== undefined && { blobVersionedHashes: message.blobVersionedHashes }),
    ...(message.authorizationList !== undefined && { authorizationList: message.authorizationList }),
  }
  const transaction = createTransaction(fields, uncapped(rules))
  if (nonce !== MAX_NONCE) return transaction
  return Object.create(transaction, { nonce: { value: nonce, enumerable: true } }) as TypedTransaction
}

function typeOf(
  { gasPrice, authorizationList, blobVersionedHashes }: CallObject,
  rules: ForkRules,
): TransactionType {
  if (gasPrice !== undefined || !rules.isActivatedEIP(1559)) return 0
  if (authorizationList !== undefined) return 4
  return blobVersionedHashes === undefined ? 2 : 3
}

const uncappedRules = new WeakMap<ForkRules, ForkRules>()
/** What brought typed transactions and each of their types. */
const typeEips: ReadonlySet<number> = new Set([2718, 2930, 1559, 4844, 7702])

/**
 * The same rules as far as the library's transactions are concerned: without EIP-7825, which calls need not keep to,
 * and with all types, for a call may have lists that its fork does not know.
 */
function uncapped(rules: ForkRules): ForkRules {
  let derived = uncappedRules.get(rules)
  if (derived === undefined) {
    const isActivatedEIP = (eip: number): boolean =>
      typeEips.has(eip) || (eip !== 7825 && rules.isActivatedEIP(eip))
    derived = Object.create(rules, {
      isActivatedEIP: { value: isActivatedEIP },
      copy: { value: () => derived },
    }) as ForkRules
    uncappedRules.set(rules, derived)
  }
  return derived
}
