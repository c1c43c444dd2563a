import { Address } from '@ethereumjs/util'
import { MessageRejectedError } from '../../errors.js'
import type { CallObject } from '../callObject.js'
import { messageFromCall, type Message } from '../../vm/message.js'
import type { PooledEvm } from '../../evm/pooledEvm.js'
import { runMessage } from '../../vm/runTransaction.js'
import type { MessageResult } from '../../vm/runTransaction.js'
import { checksumAddress } from '../../accounts/address.js'
import { SimulationError } from './errors.js'
import type { GasBudget } from './gasBudget.js'

const MAX_NONCE = 2n ** 64n - 1n

/** What bounds a call. */
export interface CallBounds {
  /** Gas that is left in the block. */
  gasLeft: bigint
  budget: GasBudget
  validation: boolean
}

/** A call that was executed. */
export interface ExecutedCall {
  message: Message
  result: MessageResult
  /** Whether the call got less gas than it asked for. */
  isGasCapped: boolean
}

/**
 * Executes a call with its defaults filled in: the sender's next nonce, and the gas that is left (geth:
 * internal/ethapi/simulate.go, sanitizeCall).
 *
 * @throws SimulationError if it may not be executed; ChainError if it contradicts itself.
 */
export async function simulateCall(
  evm: PooledEvm,
  call: CallObject,
  { gasLeft, budget, validation }: CallBounds,
): Promise<ExecutedCall> {
  const gas = call.gas ?? gasLeft
  if (gas > gasLeft) {
    throw new SimulationError(
      'blockGasLimit',
      `block gas limit reached: remaining: ${gasLeft}, required: ${gas}`,
    )
  }
  const from = call.from ?? new Uint8Array(20)
  const stateNonce = (await evm.stateManager.getAccount(new Address(from)))?.nonce ?? 0n
  const nonce = call.nonce ?? stateNonce
  const message = messageFromCall(
    { ...call, nonce, gas },
    {
      chainId: evm.common.chainId(),
      baseFee: evm.block.header.baseFeePerGas,
      gasCap: budget.left,
    },
  )
  // EIP-2681 holds also where nonces are not checked.
  if (!validation && stateNonce === MAX_NONCE) {
    throw new SimulationError(
      'other',
      `nonce has max value: address ${checksumAddress(from)}, nonce: ${MAX_NONCE}`,
    )
  }
  const checks = { nonce: validation, transaction: false, baseFee: validation }
  try {
    const result = await runMessage(evm, message, checks)
    budget.spend(result.gasUsed)
    return { message, result, isGasCapped: message.gasLimit < gas }
  } catch (error) {
    if (!(error instanceof MessageRejectedError)) throw error
    const words = `err: ${error.message} (supplied gas ${message.gasLimit})`
    throw new SimulationError(error.reason, words)
  }
}
