import { type Awaitable, orElse, whenReady } from '../../encoding/timeSlice.js'
import { type AccountOverride, type PrecompileOverrides, applyStateOverrides } from './overrides.js'
import {
  ChainError,
  ExecutionFailedError,
  type ExecutionRevertedError,
  MessageRejectedError,
} from '../errors.js'
import type { RulesPlace } from '../evm/forkSchedule.js'
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
  rulesUnder,
  withEvm,
  withFees,
  withoutBaseFee,
} from '../vm/blockEnvironment.js'
import { type Message, messageFromCall, mostCost } from '../vm/message.js'
import { callChecks } from '../vm/preCheck.js'
import { type MessageOutcome, type MessageResult, runCall, runMessage } from '../vm/runTransaction.js'
import type { CallObject, ConsoleListener } from './callObject.js'

/** A call gets at most this many times the block gas limit. */
const GAS_CAP_IN_BLOCKS = 10
const MAX_UINT256 = 2n ** 256n - 1n

/**
 * What becomes of a block's base fee in a call: it is kept, and a lower fee cap refused, but zero for a call without a
 * price; it is lowered to the cap, and kept for a call without a price, as in anvil; or it is zero whatever the fees are,
 * as in hardhat.
 */
export type CallBaseFee = 'kept' | 'lowered' | 'zero'

/** A call, where it runs, and what is to be different there. */
export interface CallRequest {
  site: CallSite
  call: CallObject
  stateOverrides?: readonly AccountOverride[] | undefined
  blockOverrides?: BlockOverrides | undefined
  /** Applied unless given. */
  precompileOverrides?: PrecompileOverrides
  onConsole?: ConsoleListener | undefined
  /** The most gas, as a multiple of the block's gas limit; 10 unless given. */
  gasCapInBlocks?: number | undefined
  /** The base fee of the block that the call runs in; kept unless given. */
  baseFee?: CallBaseFee | undefined
  /** A block override that only eth_simulateV1 can do; named, it is refused. */
  unsupportedOverride?: string | undefined
  /** Completes the fees of the call. @throws ChainError if they do not go together */
  completeFees?: ((call: CallObject) => CallObject) | undefined
  /** Whether a call runs whose sender cannot pay for it; it then has just what is needed. */
  unfunded?: boolean | undefined
}

/** The most gas that a call on a block gets: ten times the block's gas limit, unless the request says otherwise. */
export function callGasCap({ site, gasCapInBlocks }: Pick<CallRequest, 'site' | 'gasCapInBlocks'>): bigint {
  return site.header.gasLimit * BigInt(gasCapInBlocks ?? GAS_CAP_IN_BLOCKS)
}

/**
 * Runs a call and gives what it returned (eth_call).
 *
 * @throws ChainError if the call or its overrides contradict themselves.
 * @throws MessageRejectedError if the call may not run.
 * @throws ExecutionRevertedError if it reverted.
 * @throws ExecutionFailedError if it failed otherwise.
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

/** Lends an EVM for a call on its site, with the overrides applied and fees of the block that fit the call's. */
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
    // What is wrong with the overrides is told first.
    return withEvm({ rules, state, block, blockHash }, async (evm) => {
      await applyStateOverrides(evm, stateOverrides, precompileOverrides)
      throw refusal
    })
  }
  const context = { rules, state, block: freeOfFees(block, message, request), blockHash, onConsole }
  return withEvm(context, (evm) => {
    const run = (): Awaitable<T> =>
      request.unfunded === true ? fund(evm, message).then(() => use(evm, message)) : use(evm, message)
    if (stateOverrides.length === 0) return run()
    return applyStateOverrides(evm, stateOverrides, precompileOverrides).then(run)
  })
}

/** Gives the sender of a message what it may cost at most, where it has less. */
async function fund(evm: PooledEvm, message: Message): Promise<void> {
  const { from: address } = message
  const balance = mostCost(message)
  const account = await evm.state.readAccount(address)
  if ((account?.balance ?? 0n) >= balance || balance > MAX_UINT256) return
  await applyStateOverrides(evm, [{ address, balance }], 'none')
}

/** In geth a call that pays nothing sees a block that asks for nothing: BASEFEE is not above the call's price. */
function freeOfFees(
  block: BlockEnvironment,
  message: Message,
  request: Pick<CallRequest, 'baseFee'>,
): BlockEnvironment {
  const priced = freeOfBaseFee(block, message, request)
  return message.maxFeePerBlobGas === 0n ? withFees(priced, { blobBaseFee: 0n }) : priced
}

function freeOfBaseFee(
  block: BlockEnvironment,
  { gasPrice, maxFeePerGas }: Message,
  { baseFee: rule }: Pick<CallRequest, 'baseFee'>,
): BlockEnvironment {
  const { baseFeePerGas: baseFee } = block.header
  if (baseFee === undefined) return block
  if (gasPrice === 0n) return rule === 'lowered' ? block : withoutBaseFee(block)
  return rule === 'lowered' && maxFeePerGas < baseFee ? withFees(block, { baseFeePerGas: gasPrice }) : block
}

/** Runs the message of a call; the state keeps what it changed. */
export function executeCall(evm: PooledEvm, message: Message): Promise<MessageResult> {
  return runMessage(evm, message, callChecks)
}

/** How a message failed, as an error; undefined if it did not. */
export function failureOf({
  failure,
  returnData,
}: MessageOutcome): ExecutionRevertedError | ExecutionFailedError | undefined {
  if (failure === undefined) return undefined
  return failure.kind === 'revert' ? revertError(returnData) : new ExecutionFailedError(failure.words)
}

/**
 * @throws ExecutionRevertedError or ExecutionFailedError if the message failed
 */
export function throwFailure(outcome: MessageOutcome): void {
  const failure = failureOf(outcome)
  if (failure !== undefined) throw failure
}

/** Where a call runs: a block, and a state of its own that it may change. */
export interface CallSite {
  header: HeaderFields
  rules: ForkRules
  state: WorkingState
  /** The rules of another block number or time. */
  rulesAt: (place: RulesPlace) => ForkRules
  /** The 32-byte hash of an earlier block, or undefined if there is none. */
  blockHash: (number: bigint) => Awaitable<Uint8Array | undefined>
}

/** The site of one call on a block of a chain. */
export function createCallSite(
  view: Ancestry,
  { header, rules, state }: Pick<StateAt, 'header' | 'rules' | 'state'>,
): CallSite {
  return siteOn(view, { header, rules, state: new WorkingState({ base: state }) })
}

/** The site of a call on a block of a chain, over a state that is there already. */
export function siteOn(
  view: Ancestry,
  { header, rules, state }: Pick<CallSite, 'header' | 'rules' | 'state'>,
): CallSite {
  return {
    header,
    rules,
    state,
    rulesAt: (place) => view.rulesAt(place),
    blockHash: (number) => ancestorHash(view, header, number),
  }
}

/** What ancestors are found by. */
export type Ancestry = Pick<
  ChainView,
  'blockByHash' | 'blockByNumber' | 'isCanonical' | 'earlierHash' | 'rulesAt'
>

/**
 * The hash of an ancestor: along the parents until the chain is canonical, then by number; before the first block of a
 * fork as the remote chain has it.
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
