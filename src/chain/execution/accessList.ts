import { Address, generateAddress } from '@ethereumjs/util'
import { bytesToHex, bytesToPlainHex } from '../../encoding/hex.js'
import { minimalBytes } from '../block/header.js'
import { ChainError, InvalidCallError, MessageRejectedError } from '../errors.js'
import { AccessTracker } from './accessTracker.js'
import { recoverAuthority } from './authorization.js'
import { executeCall, withCall, type CallRequest } from './call.js'
import type { AccessListEntry, Authorization, CallObject } from './callObject.js'
import { AUTHORIZATION_GAS } from './intrinsicGas.js'
import type { Message } from './message.js'
import type { PooledEvm } from './pooledEvm.js'
import type { MessageResult } from './stateTransition.js'
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
export async function createAccessList(
  request: Pick<CallRequest, 'site' | 'call' | 'stateOverrides'>,
): Promise<AccessListResult> {
  const { call, site } = request
  if ((call.maxFeePerGas === undefined) !== (call.maxPriorityFeePerGas === undefined)) {
    throw new InvalidCallError('maxFeePerGas and maxPriorityFeePerGas must be given together')
  }
  return withCall(
    { site, call, stateOverrides: request.stateOverrides ?? [], movesPrecompiles: false },
    async (evm, raw) => {
      const message = { ...raw, nonce: await nonceOf(evm, call, raw) }
      const authorizations = message.authorizationList ?? []
      if (BigInt(authorizations.length) > message.gasLimit / AUTHORIZATION_GAS) {
        throw new ChainError('insufficient gas to process all authorizations')
      }
      const excluded = excludedAddresses(evm, message)
      let list = new AccessTracker(message.accessList, excluded)
      for (;;) {
        const accessList = list.list()
        const tracker = new AccessTracker(accessList, excluded)
        evm.observe = (opcode, runState) => tracker.observe(opcode, runState)
        const result = await attempt(evm, { ...message, accessList }, call)
        if (tracker.size() === list.size()) {
          const { gasUsed, failure } = result
          return { accessList, gasUsed, ...(failure === undefined ? {} : { error: failure.words }) }
        }
        list = tracker
      }
    },
  )
}

async function nonceOf(evm: PooledEvm, call: CallObject, { from }: Message): Promise<bigint> {
  return call.nonce ?? (await evm.stateManager.getAccount(new Address(from)))?.nonce ?? 0n
}

/** Runs the message and takes its changes back. */
async function attempt(evm: PooledEvm, message: Message, call: CallObject): Promise<MessageResult> {
  await evm.stateManager.checkpoint()
  try {
    return await executeCall(evm, message)
  } catch (error) {
    if (!(error instanceof MessageRejectedError)) throw error
    const isFeeMarket = call.maxFeePerGas !== undefined
    const hash = hashUnsigned(message, { chainId: evm.common.chainId(), isFeeMarket })
    throw new MessageRejectedError(`failed to apply transaction: ${bytesToHex(hash)} err: ${error.message}`)
  } finally {
    await evm.stateManager.revert()
  }
}

/** Addresses that are warm without a list. */
function excludedAddresses(
  evm: PooledEvm,
  { from, to, nonce, authorizationList = [] }: Message,
): Set<string> {
  const recipient = to ?? generateAddress(from, minimalBytes(nonce))
  const authorities = authorizationList
    .filter((authorization) => isValidFor(authorization, evm.common.chainId()))
    .map(recoverAuthority)
    .filter((authority) => authority !== undefined)
  return new Set([...[from, recipient, ...authorities].map(bytesToPlainHex), ...evm.precompiles.keys()])
}

function isValidFor({ chainId, nonce }: Authorization, ownChainId: bigint): boolean {
  return (chainId === 0n || chainId === ownChainId) && nonce < MAX_NONCE
}
