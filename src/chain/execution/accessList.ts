import { generateAddress } from '@ethereumjs/util'
import { minimalBytes } from '../../encoding/quantity.js'
import { bytesToHex } from '../../encoding/hex.js'
import { runInSlices, TimeSlice, type Steps } from '../../encoding/timeSlice.js'
import { ChainError, InvalidCallError, MessageRejectedError } from '../errors.js'
import { addressKey } from '../state/addressKey.js'
import { orElse, whenReady } from '../state/whenReady.js'
import type { Awaitable } from '../types.js'
import { AccessTracker } from './accessTracker.js'
import { recoverAuthority } from './delegation.js'
import { executeCall, withCall, type CallRequest } from './call.js'
import type { AccessListEntry, Authorization, CallObject } from './callObject.js'
import type { Message } from './message.js'
import type { PooledEvm } from './pooledEvm.js'
import type { MessageResult } from '../vm/runTransaction.js'
import { takenBack } from './takenBack.js'
import { hashUnsigned } from './unsignedHash.js'

const MAX_NONCE = 2n ** 64n - 1n

/** What eth_createAccessList found out. */
export interface AccessListResult {
  /** Sorted by address, the slots within one address sorted too. */
  accessList: AccessListEntry[]
  /** Gas with this list applied, after refunds. */
  gasUsed: bigint
  /** How the call failed, in geth's words; a failed call has a list all the same. */
  error?: string
}

/**
 * The access list that a call would use, found by running it with what the last run touched until nothing is new
 * (eth_createAccessList; geth: internal/ethapi/api.go, AccessList). A call without fees runs without fees.
 *
 * @throws InvalidCallError if only one of the EIP-1559 fees is given.
 * @throws ChainError or MessageRejectedError, in geth's words, if the call may not run.
 */
export function createAccessList(
  request: Pick<CallRequest, 'site' | 'call' | 'stateOverrides' | 'belowBaseFee' | 'unfunded'>,
): Awaitable<AccessListResult> {
  const { call, site, stateOverrides = [], belowBaseFee, unfunded } = request
  if ((call.maxFeePerGas === undefined) !== (call.maxPriorityFeePerGas === undefined)) {
    throw new InvalidCallError('maxFeePerGas and maxPriorityFeePerGas must be given together')
  }
  return withCall(
    { site, call, stateOverrides, movesPrecompiles: false, belowBaseFee, unfunded },
    (evm, raw) =>
      whenReady(nonceOf(evm, call, raw), (nonce) => {
        const message = { ...raw, nonce }
        const authorizations = message.authorizationList ?? []
        if (
          authorizations.length > 0 &&
          BigInt(authorizations.length) * evm.common.param('perEmptyAccountCost') > message.gasLimit
        ) {
          throw new ChainError('insufficient gas to process all authorizations')
        }
        return whenReady(authoritiesOf(evm, authorizations), (authorities) => {
          const excluded = excludedAddresses(evm, message, authorities)
          return completeList(evm, message, call, new AccessTracker(message.accessList, excluded))
        })
      }),
  )
}

/** Runs the message with what is known to be touched, and again with what that touched, until nothing is new. */
function completeList(
  evm: PooledEvm,
  message: Message,
  call: CallObject,
  known: AccessTracker,
): Awaitable<AccessListResult> {
  const accessList = known.list()
  const tracker = new AccessTracker(accessList, known.excluded)
  evm.observe = (opcode, runState) => tracker.observe(opcode, runState)
  return whenReady(attempt(evm, { ...message, accessList }, call), ({ gasUsed, failure }) => {
    if (tracker.size() !== known.size()) return completeList(evm, message, call, tracker)
    return { accessList, gasUsed, ...(failure === undefined ? {} : { error: failure.words }) }
  })
}

function nonceOf({ state }: PooledEvm, call: CallObject, { from }: Message): Awaitable<bigint> {
  return call.nonce ?? whenReady(state.readAccount(from), (account) => account?.nonce ?? 0n)
}

/** Runs the message and takes its changes back. */
function attempt(evm: PooledEvm, message: Message, call: CallObject): Awaitable<MessageResult> {
  return orElse(
    () => takenBack(evm, () => executeCall(evm, message)),
    (error) => {
      if (!(error instanceof MessageRejectedError)) throw error
      const isFeeMarket = call.maxFeePerGas !== undefined
      const hash = hashUnsigned(message, { chainId: evm.common.chainId(), isFeeMarket })
      throw new MessageRejectedError(`failed to apply transaction: ${bytesToHex(hash)} err: ${error.message}`)
    },
  )
}

/** Who signed authorizations that are valid here. */
function authoritiesOf(
  evm: PooledEvm,
  authorizations: readonly Authorization[],
): Awaitable<readonly Uint8Array[]> {
  return authorizations.length === 0
    ? []
    : runInSlices(recoverAuthorities(authorizations, evm.common.chainId()), new TimeSlice())
}

function* recoverAuthorities(
  authorizations: readonly Authorization[],
  chainId: bigint,
): Steps<readonly Uint8Array[]> {
  const authorities: Uint8Array[] = []
  for (const authorization of authorizations) {
    const authority = isValidFor(authorization, chainId) ? recoverAuthority(authorization) : undefined
    if (authority !== undefined) authorities.push(authority)
    yield
  }
  return authorities
}

/** Whether an address is warm without a list. */
function excludedAddresses(
  evm: PooledEvm,
  { from, to, nonce }: Message,
  authorities: readonly Uint8Array[],
): (address: Uint8Array) => boolean {
  const recipient = to ?? generateAddress(from, minimalBytes(nonce))
  const warm = new Set([from, recipient, ...authorities].map(addressKey))
  return (address) => warm.has(addressKey(address)) || evm.findPrecompile(address) !== undefined
}

function isValidFor({ chainId, nonce }: Authorization, ownChainId: bigint): boolean {
  return (chainId === 0n || chainId === ownChainId) && nonce < MAX_NONCE
}
