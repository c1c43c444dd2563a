import { checkHardhatCall } from './hardhatRequest.js'
import type { CallBaseFee } from '../../chain/calls/call.js'
import type { CallObject } from '../../chain/calls/callObject.js'
import { ChainError } from '../../chain/errors.js'
import type { AccountOverride } from '../../chain/calls/overrides.js'
import type { PartialSidecar } from '../../chain/mempool/blobs.js'
import type { BlockSelector } from '../../chain/view.js'
import type { BlockOverrides } from '../../chain/vm/blockEnvironment.js'
import { bytesEqual, quantity } from '../../encoding/hex.js'
import type { ExecutionRequest } from '../../chain/calls/executor.js'
import type { Backend } from '../backend.js'
import type { CompatibilityProfile } from '../compatibility.js'
import { InvalidParamsError, RpcError, ServerError } from '../errors.js'
import type { Call } from '../method.js'
import { isPending, latestBlock } from './findBlock.js'
import { type BlockOverrideArguments, type CallArguments, toCall } from '../params/callObject.js'

const WIDEST = 2n ** 128n - 1n

/**
 * Checks that fees, in wei per gas, fit into anvil's 128 bits (alloy: TransactionRequest).
 *
 * @throws InvalidParamsError with anvil's message, in its compatibility, if a fee is larger
 */
export function checkFeeWidths(call: CallArguments, { limitsFeesTo128Bits }: CompatibilityProfile): void {
  if (!limitsFeesTo128Bits) return
  for (const fee of [call.gasPrice, call.maxFeePerGas, call.maxPriorityFeePerGas, call.maxFeePerBlobGas]) {
    if (fee === undefined || fee <= WIDEST) continue
    throw new InvalidParamsError(`invalid value: string "${quantity(fee)}", expected a 16 byte hex string`)
  }
}

/** Decoded arguments of a method that executes a message. */
export interface ExecutionArguments {
  transaction: CallArguments
  block: BlockSelector | undefined
  stateOverrides: readonly AccountOverride[] | undefined
  blockOverrides?: BlockOverrideArguments | undefined
}

/**
 * Builds the request to execute a message, by default at `latest`. In hardhat the default sender is the first account,
 * and a tip without fee cap is also the cap.
 *
 * @throws InvalidParamsError in anvil's compatibility if a fee exceeds 128 bits
 */
export function executionRequest(context: Call, args: ExecutionArguments): ExecutionRequest {
  const { view, backend } = context
  const { compatibility } = backend.settings
  const { callsDefaultToFirstAccount, callBaseFee, skipsCallBalanceCheck } = compatibility
  checkFeeWidths(args.transaction, compatibility)
  if (compatibility.requestChecks === 'hardhat') {
    checkHardhatCall(args.transaction, view.rulesAt(view.head().header))
  }
  if (compatibility.allowsGasPriceWithFeeCaps) checkCallFees(args.transaction)
  const call = callOf(args.transaction, compatibility)
  const from = call.from ?? (callsDefaultToFirstAccount ? backend.keyring.first : undefined)
  const block = args.block ?? latestBlock
  const { blockOverrides: given, unsupportedOverride } = supportedOverrides(args.blockOverrides)
  const changes = compatibility.headCallsSeeNextBlock ? nextBlockSettings(context, block) : undefined
  const blockOverrides = changes === undefined ? given : { ...changes, ...given }
  const gas = call.gas ?? defaultGas(context, blockOverrides)
  return {
    view,
    block,
    call: from === call.from && gas === call.gas ? call : { ...call, from, gas },
    stateOverrides: args.stateOverrides,
    blockOverrides,
    unsupportedOverride,
    gasCapInBlocks: backend.settings.gasCapInBlocks,
    baseFee: callBaseFee,
    unfunded: skipsCallBalanceCheck,
    requester: context.context,
  }
}

/** Returns the gas of a call that sets none; undefined for the gas cap. */
function defaultGas({ view, backend }: Call, changes: BlockOverrides | undefined): bigint | undefined {
  const { defaultCallGas } = backend.settings.compatibility
  if (defaultCallGas === 'cap') return undefined
  if (defaultCallGas === 'transaction') return backend.maxTransactionGas()
  return changes?.gasLimit ?? view.head().header.gasLimit
}

/** Returns what the next block's fee recipient and gas limit change in the head; undefined for other blocks. */
function nextBlockSettings({ view, backend }: Call, block: BlockSelector): BlockOverrides | undefined {
  const { header, ordinal } = view.head()
  if (isPending(block) || view.resolve(block)?.ordinal !== ordinal) return undefined
  const [feeRecipient, gasLimit] = [backend.controls.coinbase(), backend.controls.gasLimit()]
  if (gasLimit === header.gasLimit && bytesEqual(feeRecipient, header.coinbase)) return undefined
  return { feeRecipient, gasLimit }
}

/**
 * Rejects a blob fee cap without blobs. Simulations and traces accept it.
 *
 * @throws ServerError if a call has a blob fee cap but no blobs
 */
export function checkBlobFeeCap({ maxFeePerBlobGas, blobVersionedHashes = [] }: CallArguments): void {
  if (maxFeePerBlobGas === undefined || blobVersionedHashes.length > 0) return
  throw new ServerError('maxFeePerBlobGas specified without blobVersionedHashes')
}

/** @throws RpcError with anvil's message, if the tip exceeds the cap or has none (foundry: FeeDetails) */
function checkCallFees({ maxFeePerGas = 0n, maxPriorityFeePerGas = 0n }: CallArguments): void {
  if (maxPriorityFeePerGas <= maxFeePerGas) return
  throw new RpcError(-32602, 'Invalid input: `max_priority_fee_per_gas` greater than `max_fee_per_gas`')
}

/** Prices a call like anvil: a cap without a tip is the gas price, and a gas price next to a cap or tip is ignored. */
function pricedAsAnvil<T extends Pick<CallObject, 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>>(
  given: T,
): T {
  const { maxFeePerGas, maxPriorityFeePerGas } = given
  if (maxPriorityFeePerGas !== undefined) {
    return { ...given, gasPrice: undefined, maxFeePerGas: maxFeePerGas ?? 0n }
  }
  if (maxFeePerGas === undefined) return given
  return { ...given, gasPrice: maxFeePerGas, maxFeePerGas: undefined }
}

/**
 * Builds anvil's estimate of a transaction without gas: the call as given, from the zero address if it has no sender,
 * and without the missing fees.
 *
 * @throws ChainError if its tip exceeds its cap
 */
export function estimatedAsGiven(
  given: CallObject,
  baseFee: CallBaseFee,
): Pick<ExecutionRequest, 'call' | 'baseFee'> {
  const { maxFeePerGas: cap = 0n, maxPriorityFeePerGas: tip = 0n } = given
  if (tip > cap) {
    throw new ChainError(
      `max priority fee per gas higher than max fee per gas: maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${cap}`,
    )
  }
  return { call: { ...pricedAsAnvil(given), chainId: undefined }, baseFee }
}

/** Converts a call. Hardhat uses a lone tip as the cap; anvil uses a lone cap as the price. */
function callOf(
  given: CallArguments,
  { tipIsCallFeeCap, allowsGasPriceWithFeeCaps }: CompatibilityProfile,
): CallObject {
  const priced = allowsGasPriceWithFeeCaps ? pricedAsAnvil(given) : given
  return tipIsCallFeeCap ? cappedAtTip(toCall(priced)) : toCall(priced)
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
 * Checks the chain id of a transaction to sign: anvil's accounts sign only for its own chain.
 *
 * @throws RpcError with anvil's message if the chain id differs (alloy: signer/src/lib.rs)
 */
export function checkSignersChain(
  { chain, keyring, settings }: Backend,
  { from, chainId }: CallArguments,
): void {
  if (settings.compatibility.errorMessages !== 'anvil') return
  if (chainId === undefined || chainId === chain.chainId) return
  const signs = from === undefined || keyring.has(from)
  if (!signs) return
  throw new RpcError(
    -32602,
    `transaction-provided chain ID (${chainId}) does not match the signer's chain ID (${chain.chainId})`,
  )
}

/**
 * Converts call arguments to a transaction request.
 *
 * @throws ServerError with geth's message (internal/ethapi/transaction_args.go, setDefaults) if it contains blobs
 * @throws InvalidParamsError in anvil's compatibility if a fee exceeds 128 bits
 */
export function transactionRequest(given: CallArguments, compatibility: CompatibilityProfile): CallObject {
  if (given.blobs !== undefined) throw new ServerError('"blobs" is not supported for this RPC method')
  return blobTransactionRequest(given, compatibility)
}

/** @throws RpcError with anvil's message if there are hashes of blobs, which anvil takes only with the blobs */
function checkBlobHashes({ blobVersionedHashes = [] }: CallArguments): void {
  if (blobVersionedHashes.length > 0) throw new RpcError(-32602, 'Failed to decode transaction')
}

/** Like {@link transactionRequest}, but drops blobs instead of refusing them. @throws InvalidParamsError likewise */
export function blobTransactionRequest(
  given: CallArguments,
  compatibility: CompatibilityProfile,
): CallObject {
  checkFeeWidths(given, compatibility)
  if (compatibility.requestChecks === 'anvil' && given.blobs === undefined) checkBlobHashes(given)
  const { input, data } = given
  const hasConflictingData = input !== undefined && data !== undefined && !bytesEqual(input, data)
  return { ...toCall(given), ...(hasConflictingData && { hasConflictingData }) }
}

/** Returns the blobs of call arguments, with what is given of their proofs; undefined if there are none. */
export function givenSidecar({
  blobs,
  commitments,
  proofs,
  blobVersionedHashes: versionedHashes,
}: CallArguments): PartialSidecar | undefined {
  return blobs === undefined ? undefined : { blobs, commitments, proofs, versionedHashes }
}

/**
 * Refuses blobs in a transaction to sign and send: geth takes them only in raw transactions (internal/ethapi/api.go,
 * SendTransaction).
 *
 * @throws ServerError with geth's message; the other nodes have messages of their own
 */
export function checkNoBlobs(
  { blobVersionedHashes, maxFeePerBlobGas }: CallArguments,
  { requestChecks }: CompatibilityProfile,
): void {
  if (requestChecks !== 'geth') return
  if (blobVersionedHashes === undefined && maxFeePerBlobGas === undefined) return
  throw new ServerError('signing blob transactions not supported')
}
