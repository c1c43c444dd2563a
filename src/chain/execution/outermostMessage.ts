import { Message, type EVMRunCallOpts } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'
import { NO_BYTES } from '../state/account.js'

/** A call of an account from outside, as the library's EVM.runCall begins one. */
export function outermostMessage(options: EVMRunCallOpts, caller: Address, to: Address): Message {
  const message = new Message({
    caller,
    to,
    value: options.value ?? 0n,
    gasLimit: options.gasLimit ?? 0n,
    data: options.data ?? NO_BYTES,
    selfdestruct: new Map(),
    createdAddresses: new Set(),
  })
  if (options.blobVersionedHashes !== undefined) message.blobVersionedHashes = options.blobVersionedHashes
  return message
}
