import {
  ChainError,
  ExecutionRevertedError,
  InvalidCallError,
  LogTimeoutError,
  TooManyLogsError,
} from '../chain/errors.js'
import { TimestampError } from '../chain/mining/clock.js'
import { TraceTooLargeError } from '../chain/tracing/budget.js'
import { bytesToHex } from '../encoding/hex.js'
import {
  InternalError,
  InvalidParamsError,
  LimitExceededError,
  ResponseTooLargeError,
  RevertError,
  RpcError,
  ServerError,
} from './errors.js'

/**
 * The error that the caller sees for whatever a method threw.
 *
 * A refusal by the chain keeps its words; what nobody foresaw becomes an InternalError with its cause.
 */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error
  if (error instanceof ExecutionRevertedError) return new RevertError(error.message, bytesToHex(error.data))
  if (error instanceof TooManyLogsError || error instanceof LogTimeoutError) {
    return new LimitExceededError(error.message)
  }
  if (error instanceof InvalidCallError || error instanceof TimestampError) {
    return new InvalidParamsError(error.message)
  }
  if (error instanceof TraceTooLargeError) return new ResponseTooLargeError()
  if (error instanceof ChainError) return new ServerError(error.message)
  return new InternalError(error)
}
