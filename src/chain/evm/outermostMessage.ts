import { Message, type EVMRunCallOpts } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'
import { NO_BYTES } from '../state/account.js'

/** What a message and those within it note of accounts, by their addresses. */
export interface MessageCollections {
  readonly selfdestruct: NonNullable<Message['selfdestruct']>
  readonly createdAddresses: NonNullable<Message['createdAddresses']>
}

/** A call of an account from outside, as the library's EVM.runCall begins one. */
export function outermostMessage(
  options: EVMRunCallOpts,
  caller: Address,
  to: Address,
  { selfdestruct, createdAddresses }: MessageCollections,
): Message {
  const message = new Message({
    caller,
    to,
    value: options.value ?? 0n,
    gasLimit: options.gasLimit ?? 0n,
    data: options.data ?? NO_BYTES,
    selfdestruct,
    createdAddresses,
  })
  if (options.blobVersionedHashes !== undefined) message.blobVersionedHashes = options.blobVersionedHashes
  return message
}
