import { address, data, fixedBytes, hash } from './bytes.js'
import type { AccessListEntry, Authorization, CallObject } from '../../chain/calls/callObject.js'
import type { AccountOverride, SlotOverride } from '../../chain/calls/overrides.js'
import { type Decoder, ReasonError, decodingItself, entries, list, mapped, struct } from './combinators.js'
import { big, uint256, uint64 } from './numbers.js'

const authorizationStruct = 'SetCodeAuthorization'

/** The y-parity of a signature (geth: core/types/tx_setcode.go, yParityJSON). */
const parity: Decoder<bigint> = mapped(uint64, (value) => {
  if (value > 1n) throw new ReasonError("'yParity' field must be 0 or 1")
  return value
})

const authorizationMembers = struct(
  { struct: authorizationStruct, type: 'types.SetCodeAuthorization' },
  { chainId: uint256, address, nonce: uint64, yParity: parity, r: uint256, s: uint256 },
)

/** @throws ReasonError if a member that the Go struct requires is missing */
function need<T>(value: T | undefined, name: string, struct: string): T {
  if (value === undefined) throw new ReasonError(`missing required field '${name}' for ${struct}`)
  return value
}

const authorization: Decoder<Authorization> = decodingItself(
  mapped(
    authorizationMembers,
    (given) => ({
      chainId: need(given.chainId, 'chainId', authorizationStruct),
      address: need(given.address, 'address', authorizationStruct),
      nonce: need(given.nonce, 'nonce', authorizationStruct),
      yParity: need(given.yParity, 'yParity', authorizationStruct),
      r: need(given.r, 'r', authorizationStruct),
      s: need(given.s, 's', authorizationStruct),
    }),
    { ...authorizationMembers.schema, required: ['chainId', 'address', 'nonce', 'yParity', 'r', 's'] },
  ),
)

/** The authorizations of a set-code transaction; all members are required. */
const authorizationList = list(authorization, '[]types.SetCodeAuthorization')

const tuple = struct(
  { struct: 'AccessTuple', type: 'types.AccessTuple' },
  { address, storageKeys: list(hash, '[]common.Hash') },
)

const entry: Decoder<AccessListEntry> = decodingItself(
  mapped(
    tuple,
    ({ address: own, storageKeys }) => ({
      address: need(own, 'address', 'AccessTuple'),
      storageKeys: need(storageKeys, 'storageKeys', 'AccessTuple'),
    }),
    { ...tuple.schema, required: ['address', 'storageKeys'] },
  ),
)

/** An access list (EIP-2930); both members of each entry are required. */
const accessList: Decoder<AccessListEntry[]> = list(entry, 'types.AccessList')

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
    blobs: list(fixedBytes(131_072, 'kzg4844.Blob'), '[]kzg4844.Blob'),
    commitments: list(fixedBytes(48, 'kzg4844.Commitment'), '[]kzg4844.Commitment'),
    proofs: list(fixedBytes(48, 'kzg4844.Proof'), '[]kzg4844.Proof'),
  },
)

/** A decoded call object. */
export type CallArguments = ReturnType<typeof members.decode>

/**
 * The call object of eth_call, eth_estimateGas, eth_sendTransaction and the like (geth: ethapi.TransactionArgs). A
 * `type` member is ignored: the type follows from the given fees and lists.
 */
export const callObject: Decoder<CallArguments> = members

/**
 * Converts a call object for execution: `input` takes precedence over `data`, and blobs and a mirrored `gasPrice` are
 * dropped.
 */
export function toCall(given: CallArguments): CallObject {
  const { input, blobs, commitments, proofs } = given
  const call = mirrorsFeeCap(given) ? { ...given, gasPrice: undefined } : given
  // Copying without members costs more than all the rest, and most calls have none of these.
  if ((input ?? blobs ?? commitments ?? proofs) === undefined) return call
  const { input: _input, blobs: _blobs, commitments: _commitments, proofs: _proofs, ...others } = call
  return { ...others, data: input ?? given.data }
}

/**
 * Whether a `gasPrice` mirrors the fee cap. The specification requires one in pending transactions with both EIP-1559
 * fees, so eth_fillTransaction returns it, where geth returns null. Clients that send such a transaction back mean the
 * fees.
 */
function mirrorsFeeCap({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallArguments): boolean {
  return gasPrice !== undefined && gasPrice === maxFeePerGas && maxPriorityFeePerGas !== undefined
}

const slots: Decoder<SlotOverride[]> = entries(
  { name: hash, member: hash, type: 'map[common.Hash]common.Hash' },
  (slot, value) => ({ slot, value }),
)

/** State override of one account (geth: override.OverrideAccount). */
export const accountOverride = struct(
  { struct: 'OverrideAccount', type: 'override.OverrideAccount' },
  {
    nonce: uint64,
    code: data,
    balance: big,
    state: slots,
    stateDiff: slots,
    movePrecompileToAddress: address,
  },
)

const accounts = entries(
  { name: address, member: accountOverride, type: 'override.StateOverride' },
  (own, override): AccountOverride => ({ address: own, ...override }),
)

/** State overrides of a call, by account (geth: internal/ethapi/override). */
export const stateOverride: Decoder<AccountOverride[]> = {
  ...accounts,
  schema: { title: 'state overrides', ...accounts.schema },
}

const withdrawal = decodingItself(
  struct(
    { struct: 'Withdrawal', type: 'types.Withdrawal' },
    { index: uint64, validatorIndex: uint64, address, amount: uint64 },
  ),
)

/** Header overrides of a call (geth: override.BlockOverrides). */
export const blockOverrides = struct(
  { struct: 'BlockOverrides', type: 'override.BlockOverrides', capitalised: true },
  {
    number: big,
    difficulty: big,
    time: uint64,
    gasLimit: uint64,
    feeRecipient: address,
    prevRandao: hash,
    baseFeePerGas: big,
    blobBaseFee: big,
    beaconRoot: hash,
    withdrawals: list(withdrawal, 'types.Withdrawals'),
  },
)

/** Decoded block overrides. */
export type BlockOverrideArguments = ReturnType<typeof blockOverrides.decode>
