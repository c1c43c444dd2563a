import { type Awaitable, orElse, whenReady } from '../../encoding/timeSlice.js'
import { MAX_UINT256, maxBigint } from '../../encoding/bigints.js'
import { type AccountOverride, type PrecompileOverrides, applyStateOverrides } from './overrides.js'
import {
  ChainError,
  ExecutionFailedError,
  type ExecutionRevertedError,
  MessageRejectedError,
} from '../errors.js'
import type { RulesHeader } from '../evm/forkSchedule.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { revertError } from '../evm/revertReason.js'
import { WorkingState } from '../state/workingState.js'
import type { ForkRules, HeaderFields } from '../types.js'
import type { ChainView, StateAt } from '../view.js'
import {
  type BlockEnvironment,
  type BlockOverrides,
  createBlockEnvironment,
  knownBlockEnvironment,
  type Requester,
  rulesUnder,
  withLimitedEvm,
  withFees,
  withoutBaseFee,
} from '../vm/blockEnvironment.js'
import { type Message, messageFromCall, maximumCost } from '../vm/message.js'
import { callChecks } from '../vm/preCheck.js'
import { type MessageOutcome, type MessageResult, runCall, runMessage } from '../vm/runTransaction.js'
import type { CallObject, ConsoleListener } from './callObject.js'

/** Maximum gas of a call, as a multiple of the block gas limit. */
const GAS_CAP_IN_BLOCKS = 10

/**
 * How a call treats the block's base fee.
 *
 * - `kept`: a lower fee cap is rejected, but a call without a price sees zero.
 * - `unchecked`: it stays, and the fee cap may be lower, as in anvil.
 * - `zero`: it is zero whatever the fees, as in Hardhat.
 */
export type CallBaseFee = 'kept' | 'unchecked' | 'zero'

/** A call, the site to run it on, and overrides. */
export interface CallRequest {
  site: CallSite
  call: CallObject
  stateOverrides?: readonly AccountOverride[] | undefined
  blockOverrides?: BlockOverrides | undefined
  /** Applied by default. */
  precompileOverrides?: PrecompileOverrides
  onConsole?: ConsoleListener | undefined
  /** Maximum gas as a multiple of the block gas limit; 10 by default. */
  gasCapInBlocks?: number | undefined
  /** Treatment of the base fee; `kept` by default. */
  baseFee?: CallBaseFee | undefined
  /** Name of a block override that only eth_simulateV1 supports; the call is rejected if set. */
  unsupportedOverride?: string | undefined
  /** Completes the fees of the call. @throws ChainError if they are inconsistent */
  completeFees?: ((call: CallObject) => CallObject) | undefined
  /** Whether to run a call that the sender cannot pay for, by giving the sender just enough. */
  unfunded?: boolean | undefined
  /** Gas that an estimate may try beyond that of the call; an unfunded sender gets enough for it. */
  estimateLimit?: bigint
  requester?: Requester | undefined
}

/** Returns the maximum gas of a call on a block: ten times the block gas limit by default. */
export function callGasCap({ site, gasCapInBlocks }: Pick<CallRequest, 'site' | 'gasCapInBlocks'>): bigint {
  return site.header.gasLimit * BigInt(gasCapInBlocks ?? GAS_CAP_IN_BLOCKS)
}

/**
 * Runs a call and returns its output (eth_call).
 *
 * @throws ChainError if the call or its overrides are inconsistent
 * @throws MessageRejectedError if the call may not run
 * @throws ExecutionRevertedError if it reverted
 * @throws ExecutionFailedError if it failed otherwise
 */
export function call(request: CallRequest): Awaitable<Uint8Array> {
  return withCall(request, (evm, message) => {
    const result = orElse(
      () => runCall(evm, message, callChecks),
      (error) => {
        if (!(error instanceof MessageRejectedError)) throw error
        throw new MessageRejectedError(`err: ${error.message} (supplied gas ${message.gasLimit})`)
      },
    )
    return whenReady(result, (ended) => {
      throwFailure(ended)
      return ended.returnData
    })
  })
}

/** Lends an EVM for a call on its site, with overrides applied and block fees adjusted to the call's. */
export function withCall<T>(
  request: CallRequest,
  use: (evm: PooledEvm, message: Message) => Awaitable<T>,
): Awaitable<T> {
  const {
    site,
    call,
    stateOverrides = [],
    blockOverrides,
    precompileOverrides = 'applied',
    onConsole,
    requester,
  } = request
  if (request.unsupportedOverride !== undefined) {
    throw new ChainError(
      `block override "${request.unsupportedOverride}" is not supported for this RPC method`,
    )
  }
  const rules = rulesUnder(site, blockOverrides)
  const given =
    blockOverrides === undefined
      ? knownBlockEnvironment(site.header, rules)
      : createBlockEnvironment(site.header, rules, blockOverrides)
  const hasNoBaseFee = request.baseFee === 'zero' && given.header.baseFeePerGas !== undefined
  const block = hasNoBaseFee ? withoutBaseFee(given) : given
  const { state, blockHash } = site
  const defaults = {
    chainId: rules.chainId(),
    baseFee: block.header.baseFeePerGas,
    gasCap: callGasCap(request),
  }
  const prepare = (): Message => messageFromCall(request.completeFees?.(call) ?? call, defaults)
  let message: Message
  try {
    message = prepare()
  } catch (refusal) {
    if (stateOverrides.length === 0) throw refusal
    // Errors in the overrides are reported first.
    return withLimitedEvm({ rules, state, block, blockHash }, async (evm) => {
      await applyStateOverrides(evm, stateOverrides, precompileOverrides)
      throw refusal
    })
  }
  if (request.baseFee === 'unchecked') message = { ...message, ignoresBaseFee: true }
  const context = { rules, state, block: freeOfFees(block, message), blockHash, onConsole, requester }
  return withLimitedEvm(context, (evm) => {
    const run = (): Awaitable<T> => {
      if (request.unfunded !== true) return use(evm, message)
      // The sender pays the effective price, and a cap above it need not be covered.
      const affordable = { ...message, maxFeePerGas: message.gasPrice }
      const { gasLimit } = affordable
      const funded = { ...affordable, gasLimit: maxBigint(gasLimit, request.estimateLimit ?? gasLimit) }
      return fund(evm, funded).then(() => use(evm, affordable))
    }
    if (stateOverrides.length === 0) return run()
    return applyStateOverrides(evm, stateOverrides, precompileOverrides).then(run)
  })
}

/** Tops up the sender's balance to the maximum cost of a message. */
async function fund(evm: PooledEvm, message: Message): Promise<void> {
  const { from: address } = message
  const balance = maximumCost(message)
  const account = await evm.state.readAccount(address)
  if ((account?.balance ?? 0n) >= balance || balance > MAX_UINT256) return
  await applyStateOverrides(evm, [{ address, balance }], 'none')
}

/**
 * Adjusts the block's fees. In geth, a call that pays nothing sees a block without fees, so that BASEFEE never exceeds
 * the gas price.
 */
function freeOfFees(
  block: BlockEnvironment,
  { gasPrice, maxFeePerBlobGas, ignoresBaseFee = false }: Message,
): BlockEnvironment {
  const isFree = gasPrice === 0n && !ignoresBaseFee && block.header.baseFeePerGas !== undefined
  const priced = isFree ? withoutBaseFee(block) : block
  return maxFeePerBlobGas === 0n ? withFees(priced, { blobBaseFee: 0n }) : priced
}

/** Runs the message of a call, and keeps its changes in the state. */
export function executeCall(evm: PooledEvm, message: Message): Promise<MessageResult> {
  return runMessage(evm, message, callChecks)
}

/** Returns the error for a failed message; undefined if it succeeded. */
export function failureOf({
  failure,
  returnData,
}: MessageOutcome): ExecutionRevertedError | ExecutionFailedError | undefined {
  if (failure === undefined) return undefined
  return failure.kind === 'revert' ? revertError(returnData) : new ExecutionFailedError(failure.message)
}

/**
 * @throws ExecutionRevertedError or ExecutionFailedError if the message failed
 */
export function throwFailure(outcome: MessageOutcome): void {
  const failure = failureOf(outcome)
  if (failure !== undefined) throw failure
}

/** Where a call runs: a block and a private state that it may change. */
export interface CallSite {
  header: HeaderFields
  rules: ForkRules
  state: WorkingState
  /** Returns the rules at another block number or time. */
  rulesAt: (header: RulesHeader) => ForkRules
  /** Returns the 32-byte hash of an earlier block, or undefined if there is none. */
  blockHash: (number: bigint) => Awaitable<Uint8Array | undefined>
}

/** Creates the site of a single call on a block of a chain. */
export function createCallSite(
  view: Ancestry,
  { header, rules, state }: Pick<StateAt, 'header' | 'rules' | 'state'>,
): CallSite {
  return callSiteOn(view, { header, rules, state: new WorkingState({ base: state }) })
}

/** Creates the site of a call on a block of a chain, with an existing state. */
export function callSiteOn(
  view: Ancestry,
  { header, rules, state }: Pick<CallSite, 'header' | 'rules' | 'state'>,
): CallSite {
  return {
    header,
    rules,
    state,
    rulesAt: (header) => view.rulesAt(header),
    blockHash: (number) => ancestorHash(view, header, number),
  }
}

/** The part of a view that finds ancestors. */
export type Ancestry = Pick<
  ChainView,
  'blockByHash' | 'blockByNumber' | 'isCanonical' | 'earlierHash' | 'rulesAt'
>

/**
 * Finds the hash of an ancestor: follows parents until the chain is canonical, then looks up the number. Before the
 * first block of a fork, the remote chain has it.
 */
export function ancestorHash(
  view: Ancestry,
  { number: start, parentHash }: HeaderFields,
  number: bigint,
): Awaitable<Uint8Array | undefined> {
  if (number >= start) return undefined
  if (number === start - 1n) return parentHash
  let block = view.blockByHash(parentHash)
  while (block !== undefined && !view.isCanonical(block) && block.header.number > number) {
    block = view.blockByHash(block.header.parentHash)
  }
  if (block === undefined) return view.earlierHash(number)
  if (block.header.number === number) return block.hash
  return view.blockByNumber(number)?.hash ?? view.earlierHash(number)
}
