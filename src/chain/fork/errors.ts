import { ChainError } from '../errors.js'

/** The remote chain of a fork could not be asked for what an execution or a read needs. */
export class RemoteStateError extends ChainError {
  override readonly name = 'RemoteStateError'
}
