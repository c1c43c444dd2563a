import { RLP, type Input } from '@ethereumjs/rlp'
import { minimalBytes } from '../../encoding/quantity.js'
import { keccak256 } from '../keccak.js'
import type { AccessListEntry } from './callObject.js'
import type { Message } from './message.js'

/** How a call without a signature is named in an error. */
export interface UnsignedOptions {
  chainId: bigint
  /** Whether the call names EIP-1559 fees. */
  isFeeMarket: boolean
}

/**
 * The hash of the transaction that a call would be without its signature, whose v, r and s are zero (geth:
 * internal/ethapi/transaction_args.go, ToTransaction): of type 2 with EIP-1559 fees, else of type 1.
 */
export function hashUnsigned(message: Message, { chainId, isFeeMarket }: UnsignedOptions): Uint8Array {
  const { nonce, gasPrice, maxFeePerGas, maxPriorityFeePerGas, gasLimit, to, value, data } = message
  const fees = isFeeMarket ? [maxPriorityFeePerGas, maxFeePerGas] : [gasPrice]
  const fields: Input[] = [
    ...[chainId, nonce, ...fees, gasLimit].map(minimalBytes),
    to ?? new Uint8Array(0),
    minimalBytes(value),
    data,
    message.accessList.map(toList),
    ...[0n, 0n, 0n].map(minimalBytes),
  ]
  const encoded = RLP.encode(fields)
  const typed = new Uint8Array(encoded.length + 1)
  typed[0] = isFeeMarket ? 2 : 1
  typed.set(encoded, 1)
  return keccak256(typed)
}

function toList({ address, storageKeys }: AccessListEntry): Input {
  return [address, storageKeys]
}
