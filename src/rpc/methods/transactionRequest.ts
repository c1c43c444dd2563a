import { checkHardhatCall } from './hardhatRequest.js'
import type { CallObject } from '../../chain/calls/callObject.js'
import type { AccountOverride } from '../../chain/calls/overrides.js'
import type { BlockSelector } from '../../chain/view.js'
import { bytesEqual, quantity } from '../../encoding/hex.js'
import type { ExecutionRequest } from '../../chain/calls/executor.js'
import type { CompatibilityProfile } from '../compatibility.js'
import { InvalidParamsError, ServerError } from '../errors.js'
import type { Call } from '../method.js'
import { type BlockOverrideArguments, type CallArguments, toCall } from '../params/callObject.js'

const WIDEST = 2n ** 128n - 1n

/**
 * Anvil holds wei per gas in 128 bits (alloy: TransactionRequest).
 *
 * @throws InvalidParamsError in its words if a fee has more, where the node stands in for anvil.
 */
export function checkFeeWidths(call: CallArguments, { limitsFeesTo128Bits }: CompatibilityProfile): void {
  if (!limitsFeesTo128Bits) return
  for (const fee of [call.gasPrice, call.maxFeePerGas, call.maxPriorityFeePerGas, call.maxFeePerBlobGas]) {
    if (fee === undefined || fee <= WIDEST) continue
    throw new InvalidParamsError(`invalid value: string "${quantity(fee)}", expected a 16 byte hex string`)
  }
}

/** The decoded arguments of a method that executes a message. */
export interface ExecutionArguments {
  transaction: CallArguments
  block: BlockSelector | undefined
  stateOverrides: readonly AccountOverride[] | undefined
  blockOverrides?: BlockOverrideArguments | undefined
}

/**
 * What is to be executed, at `latest` unless a block is named. In hardhat a message without a sender is the first account's, and
 * one that names only a tip has it for its cap.
 *
 * @throws InvalidParamsError if a fee is wider than anvil takes it, where the node stands in for anvil.
 */
export function executionRequest({ view, backend }: Call, args: ExecutionArguments): ExecutionRequest {
  const { compatibility } = backend.settings
  const { callsDefaultToFirstAccount, callBaseFee, skipsCallBalanceCheck } = compatibility
  checkFeeWidths(args.transaction, compatibility)
  if (compatibility.requestChecks === 'hardhat') {
    checkHardhatCall(args.transaction, view.rulesAt(view.head().header))
  }
  const call = callOf(args.transaction, compatibility)
  const from = call.from ?? (callsDefaultToFirstAccount ? backend.keyring.addresses()[0] : undefined)
  return {
    view,
    block: args.block ?? { tag: 'latest' },
    call: from === call.from || from === undefined ? call : { ...call, from },
    stateOverrides: args.stateOverrides,
    ...supportedOverrides(args.blockOverrides),
    gasCapInBlocks: backend.settings.gasCapInBlocks,
    baseFee: callBaseFee,
    unfunded: skipsCallBalanceCheck,
  }
}

/** @throws ServerError if a call has a cap of blob fees but no blobs; simulations and traces take that */
export function checkBlobFeeCap({ maxFeePerBlobGas, blobVersionedHashes = [] }: CallArguments): void {
  if (maxFeePerBlobGas === undefined || blobVersionedHashes.length > 0) return
  throw new ServerError('maxFeePerBlobGas specified without blobVersionedHashes')
}

/** In hardhat the chain id of a call means nothing, and a tip alone is its cap. */
function callOf(given: CallArguments, { tipIsCallFeeCap, requestChecks }: CompatibilityProfile): CallObject {
  const call = tipIsCallFeeCap ? cappedAtTip(toCall(given)) : toCall(given)
  return requestChecks === 'hardhat' ? { ...call, chainId: undefined } : call
}

function cappedAtTip(call: CallObject): CallObject {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = call
  if (gasPrice !== undefined || maxFeePerGas !== undefined || maxPriorityFeePerGas === undefined) return call
  return { ...call, maxFeePerGas: maxPriorityFeePerGas }
}

function supportedOverrides(
  given: BlockOverrideArguments | undefined,
): Pick<ExecutionRequest, 'blockOverrides' | 'unsupportedOverride'> {
  if (given === undefined) return {}
  const { beaconRoot, withdrawals, ...blockOverrides } = given
  const unsupportedOverride =
    beaconRoot !== undefined ? 'beaconRoot' : withdrawals !== undefined ? 'withdrawals' : undefined
  return { blockOverrides, unsupportedOverride }
}

/**
 * A call object that a transaction is made from.
 *
 * @throws ServerError in geth's words (internal/ethapi/transaction_args.go, setDefaults) if it brings blobs.
 * @throws InvalidParamsError if a fee is wider than anvil takes it, where the node stands in for anvil.
 */
export function transactionRequest(given: CallArguments, compatibility: CompatibilityProfile): CallObject {
  if (given.blobs !== undefined) throw new ServerError('"blobs" is not supported for this RPC method')
  return blobTransactionRequest(given, compatibility)
}

/** The same without the blobs that it may bring. @throws InvalidParamsError as {@link transactionRequest} does */
export function blobTransactionRequest(
  given: CallArguments,
  compatibility: CompatibilityProfile,
): CallObject {
  checkFeeWidths(given, compatibility)
  const { input, data, blobs: _blobs, commitments: _commitments, proofs: _proofs, ...call } = given
  const hasTwoData = input !== undefined && data !== undefined && !bytesEqual(input, data)
  return { ...call, data: input ?? data, ...(hasTwoData && { hasTwoData }) }
}
