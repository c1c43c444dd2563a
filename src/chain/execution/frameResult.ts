import { EVMError, type ExecResult } from '@ethereumjs/evm'
import { NO_BYTES } from '../state/account.js'
import type { FrameFailure } from './failure.js'
import type { FrameInterpreter } from './frameInterpreter.js'

/**
 * What a frame left behind, in the library's shape (EVM.runInterpreter).
 *
 * @param gasLimit - gas that the frame began with
 */
export function frameResult(
  { _result: { logs, returnValue = NO_BYTES, selfdestruct, createdAddresses }, runState }: FrameInterpreter,
  gasLimit: bigint,
  failure: FrameFailure | undefined,
): ExecResult {
  const { gasLeft, gasRefund } = runState
  if (failure === undefined) {
    const executionGasUsed = gasLimit - gasLeft
    return { returnValue, executionGasUsed, gasRefund, logs, selfdestruct, createdAddresses }
  }
  const isReverted = failure.error === EVMError.errorMessages.REVERT
  return {
    returnValue,
    exceptionError: failure,
    executionGasUsed: isReverted ? gasLimit - gasLeft : gasLimit,
    gasRefund,
    logs: [],
  }
}
