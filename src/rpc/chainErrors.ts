import { SimulationError, type SimulationRefusal } from '../chain/calls/simulate/request.js'
import { DepthError } from '../chain/controls/reorganise.js'
import {
  ChainError,
  ExecutionFailedError,
  ExecutionRevertedError,
  ImportError,
  InvalidCallError,
  LogTimeoutError,
  RequestTimeoutError,
  TooManyLogsError,
  UnsupportedControlError,
} from '../chain/errors.js'
import { TimestampError } from '../chain/mining/schedule.js'
import { TraceTooLargeError } from '../chain/tracing/budget.js'
import { bytesToHex } from '../encoding/hex.js'
import { StorageWriteError } from '../storage/errors.js'
import { anvilError } from './anvilMessages.js'
import type { CompatibilityProfile } from './compatibility.js'
import {
  InternalError,
  InvalidParamsError,
  LimitExceededError,
  ResponseTooLargeError,
  TimeoutError,
  RevertError,
  RpcError,
  ServerError,
} from './errors.js'
import { ganacheFailure, ganacheRevert, hardhatError } from './hardhatMessages.js'

/** Chain errors caused by the request's parameters. */
const parameterErrors = [ImportError, InvalidCallError, TimestampError, DepthError, UnsupportedControlError]

/** Error codes of eth_simulateV1 (geth: internal/ethapi/errors.go). */
const simulationCodes: Readonly<Record<SimulationRefusal, number>> = {
  emptyInput: -32602,
  limit: -38026,
  blockNumberOrder: -38020,
  timestampOrder: -38021,
  difficulty: -32602,
  blockGasLimit: -38015,
  nonceTooLow: -38010,
  nonceTooHigh: -38011,
  tipAboveFeeCap: -32602,
  feeCapTooLow: -38012,
  insufficientFunds: -38014,
  intrinsicGas: -38013,
  initcodeSize: -38025,
  other: -32603,
}

/**
 * Converts anything thrown by a method to the error for the caller.
 *
 * Chain errors keep their message, except failed executions in ganache's profile and all errors in anvil's and
 * hardhat's. Any other error becomes an InternalError with its cause.
 */
export function toRpcError(error: unknown, profile: CompatibilityProfile['errorMessages']): RpcError {
  const converted =
    profile === 'anvil' ? anvilError(error) : profile === 'hardhat' ? hardhatError(error) : undefined
  if (converted !== undefined) return converted
  if (error instanceof RpcError) return error
  if (profile === 'ganache') {
    if (error instanceof ExecutionRevertedError) return ganacheRevert(error)
    if (error instanceof ExecutionFailedError) return ganacheFailure(error)
  }
  if (error instanceof ExecutionRevertedError) return new RevertError(error.message, bytesToHex(error.data))
  if (error instanceof TooManyLogsError || error instanceof LogTimeoutError) {
    return new LimitExceededError(error.message)
  }
  if (error instanceof ChainError && parameterErrors.some((type) => error instanceof type)) {
    return new InvalidParamsError(error.message)
  }
  if (error instanceof RequestTimeoutError) return new TimeoutError()
  if (error instanceof TraceTooLargeError) return new ResponseTooLargeError()
  if (error instanceof SimulationError) return new RpcError(simulationCodes[error.refusal], error.message)
  if (error instanceof ChainError) return new ServerError(error.message)
  if (error instanceof StorageWriteError) return new ServerError(error.message)
  return new InternalError(error)
}
