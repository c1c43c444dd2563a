import type { CallObject } from '../../chain/execution/callObject.js'
import type { Decoder } from './parameter.js'
import { accessList } from './accessList.js'
import { address } from './address.js'
import { authorizationList } from './authorizationList.js'
import { data } from './data.js'
import { hash } from './hash.js'
import { list } from './list.js'
import { mapped } from './mapped.js'
import { struct } from './struct.js'
import { big } from './uint256.js'
import { uint64 } from './uint64.js'

const members = struct(
  { struct: 'TransactionArgs', type: 'ethapi.TransactionArgs' },
  {
    from: address,
    to: address,
    gas: uint64,
    gasPrice: big,
    maxFeePerGas: big,
    maxPriorityFeePerGas: big,
    value: big,
    nonce: uint64,
    data,
    input: data,
    accessList,
    chainId: big,
    maxFeePerBlobGas: big,
    blobVersionedHashes: list(hash, '[]common.Hash'),
    authorizationList,
    blobs: list(data, '[]kzg4844.Blob'),
    commitments: list(data, '[]kzg4844.Commitment'),
    proofs: list(data, '[]kzg4844.Proof'),
  },
)

/** A decoded call object. */
export type CallArguments = ReturnType<typeof members.decode>

/**
 * The call object of eth_call, eth_estimateGas, eth_sendTransaction and their kin (geth: ethapi.TransactionArgs).
 * A member `type` is ignored: the type follows from the fees and lists that are given.
 */
export const callObject: Decoder<CallArguments> = mapped(members, withoutMirroredPrice)

/**
 * The standard wants a `gasPrice` equal to the cap in transactions that wait and have both fees of EIP-1559, and so
 * eth_fillTransaction answers it. Clients that send such a transaction back mean the fees; geth answers null there.
 */
function withoutMirroredPrice(call: CallArguments): CallArguments {
  const isMirrored = call.gasPrice !== undefined && call.gasPrice === call.maxFeePerGas
  if (!isMirrored || call.maxPriorityFeePerGas === undefined) return call
  const { gasPrice: _gasPrice, ...others } = call
  return others
}

/** A call object as it is executed: `input` wins over `data`, blobs do not matter. */
export function toCall(given: CallArguments): CallObject {
  const { input, blobs, commitments, proofs } = given
  // Taking members out of a copy takes longer than all the rest, and most calls have none of these.
  if ((input ?? blobs ?? commitments ?? proofs) === undefined) return given
  const { input: _input, blobs: _blobs, commitments: _commitments, proofs: _proofs, ...call } = given
  return { ...call, data: input ?? given.data }
}
