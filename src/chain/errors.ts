import { bytesToPlainHex } from '../encoding/hex.js'

/**
 * An error that a user of the chain caused, with a message made for them.
 *
 * The message is geth's where a source file is named.
 */
export class ChainError extends Error {
  override readonly name: string = 'ChainError'
}

/**
 * A priced estimate whose sender has no more than the value, so that nothing is left for gas (geth:
 * eth/gasestimator/gasestimator.go, ErrInsufficientFundsForTransfer).
 */
export class NothingLeftForGasError extends ChainError {
  override readonly name = 'NothingLeftForGasError'
  /** Whether the sender's balance covers the value itself. */
  readonly coversValue: boolean

  constructor({ coversValue }: { coversValue: boolean }) {
    super('insufficient funds for transfer')
    this.coversValue = coversValue
  }
}

/** A block number beyond the head (geth: eth/api_backend.go). */
export class HeaderNotFoundError extends ChainError {
  override readonly name = 'HeaderNotFoundError'
  /** The requested number. */
  readonly requested: bigint
  /** The number of the head. */
  readonly head: bigint
  constructor(requested: bigint, head: bigint) {
    super('header not found')
    this.requested = requested
    this.head = head
  }
}

/** A tag that names no block yet: `safe` and `finalized` before the merge (geth: eth/api_backend.go). */
export class TagNotFoundError extends ChainError {
  override readonly name = 'TagNotFoundError'
  constructor(tag: string) {
    super(`${tag} block not found`)
  }
}

/** Work given up because its client has disconnected. */
export class ClientGoneError extends ChainError {
  override readonly name = 'ClientGoneError'
  constructor() {
    super('the client is gone')
  }
}

/** A block hash that names no block (geth: eth/api_backend.go). */
export class HashNotFoundError extends ChainError {
  override readonly name = 'HashNotFoundError'
  /** The requested hash, 32 bytes. */
  readonly requested: Uint8Array
  /** The number of the head. */
  readonly head: bigint
  constructor(requested: Uint8Array, head: bigint) {
    super('header for hash not found')
    this.requested = requested
    this.head = head
  }
}

/** A block hash off the canonical chain where a canonical one is required (EIP-1898). */
export class NotCanonicalError extends ChainError {
  override readonly name = 'NotCanonicalError'
  constructor() {
    super('hash is not currently canonical')
  }
}

/** A call whose fields contradict each other: the parameters of the request are at fault. */
export class InvalidCallError extends ChainError {
  override readonly name = 'InvalidCallError'
}

/** A transaction that the mempool rejects (geth: core/txpool/validation.go). */
export class TransactionRejectedError extends ChainError {
  override readonly name = 'TransactionRejectedError'
  /** Named values that geth's message leaves out and other nodes report. */
  readonly facts: Readonly<Record<string, bigint | string>>

  constructor(message: string, facts: Readonly<Record<string, bigint | string>> = {}) {
    super(message)
    this.facts = facts
  }
}

/** Bytes that are not the RLP of a transaction or block, with geth's message (rlp/decode.go). */
export class TransactionEncodingError extends TransactionRejectedError {}

/** Why a message may not execute, as far as answers distinguish the reasons. */
export type RejectionReason =
  | 'nonceTooLow'
  | 'nonceTooHigh'
  | 'tipAboveFeeCap'
  | 'feeCapTooLow'
  | 'insufficientFunds'
  | 'intrinsicGas'
  | 'initcodeSize'
  | 'other'

/** A message that fails before it executes (geth: core/state_transition.go, preCheck). */
export class MessageRejectedError extends ChainError {
  override readonly name = 'MessageRejectedError'
  readonly reason: RejectionReason

  constructor(message: string, reason: RejectionReason = 'other') {
    super(message)
    this.reason = reason
  }
}

/** Execution ended in a REVERT; `data` is its return data. */
export class ExecutionRevertedError extends ChainError {
  override readonly name = 'ExecutionRevertedError'
  readonly data: Uint8Array
  constructor(message: string, data: Uint8Array) {
    super(message)
    this.data = data
  }
}

/** Execution failed in the EVM other than by a REVERT (geth: core/vm/errors.go). */
export class ExecutionFailedError extends ChainError {
  override readonly name = 'ExecutionFailedError'
}

/** A transaction that was mined and failed. */
export class FailedTransactionError extends ChainError {
  override readonly name = 'FailedTransactionError'
  /** 32 bytes. */
  readonly hash: Uint8Array
  readonly failure: ExecutionRevertedError | ExecutionFailedError

  constructor(hash: Uint8Array, failure: ExecutionRevertedError | ExecutionFailedError) {
    super(failure.message)
    this.hash = hash
    this.failure = failure
  }
}

/** A block whose state was never stored, because the chain was loaded from elsewhere (geth: core/state/database.go). */
export class StateUnknownError extends ChainError {
  override readonly name = 'StateUnknownError'
  constructor(root: Uint8Array) {
    super(`historical state ${bytesToPlainHex(root)} is not available`)
  }
}

/** A block whose state `standin prune` has deleted (geth: trie/errors.go, triedb/hashdb/database.go). */
export class StatePrunedError extends ChainError {
  override readonly name = 'StatePrunedError'
  /** @param root - 32 bytes */
  constructor(root: Uint8Array) {
    const hash = bytesToPlainHex(root)
    super(`missing trie node ${hash} (path ) state 0x${hash} is not available, not found`)
  }
}

/** The node is shutting down: a change of the chain did not begin, or ended early. */
export class ChainStoppedError extends ChainError {
  override readonly name = 'ChainStoppedError'

  /**
   * @param done - progress so far, for the message
   */
  constructor(done?: string) {
    super(done === undefined ? 'the node is stopping' : `the node is stopping: ${done}`)
  }
}

/** A control that makes no sense under the rules of this chain. */
export class UnsupportedControlError extends ChainError {
  override readonly name = 'UnsupportedControlError'
}

/** A log query that matches more than the limit. */
export class TooManyLogsError extends ChainError {
  override readonly name = 'TooManyLogsError'
  readonly limit: number
  /** The longest range starting at the same block that stays within the limit. */
  readonly range: { from: bigint; to: bigint }
  constructor(limit: number, range: { from: bigint; to: bigint }) {
    super(`query returned more than ${limit} results`)
    this.limit = limit
    this.range = range
  }
}

/** A log query that ran into its timeout. */
export class LogTimeoutError extends ChainError {
  override readonly name = 'LogTimeoutError'
  constructor() {
    super('query timeout exceeded')
  }
}

/** A request that is not answered in time (geth: rpc/errors.go). */
export class RequestTimeoutError extends ChainError {
  override readonly name = 'RequestTimeoutError'
  constructor() {
    super('request timed out')
  }
}

/** A block of another node, or from a file, that is invalid. */
export class ImportError extends ChainError {
  override readonly name = 'ImportError'
  /** Block number; undefined if it cannot be decoded. */
  readonly number: bigint | undefined
  /** What differs: a field of the header, `transaction 3`, or `encoding`. */
  readonly field: string

  constructor(number: bigint | undefined, field: string, reason: string) {
    super(`${number === undefined ? 'a block' : `block ${number}`}: ${field}: ${reason}`)
    this.number = number
    this.field = field
  }
}

/** The remote chain of a fork did not deliver data that an execution or a read needs. */
export class RemoteStateError extends ChainError {
  override readonly name = 'RemoteStateError'
}
