import { bytesToBigint, bigintToBytes } from '../../encoding/quantity.js'
import type { Chain } from '../chain.js'
import { ExecutionFailedError, ExecutionRevertedError } from '../errors.js'
import type { AccessListEntry } from '../execution/callObject.js'
import type { MessageExecutor } from '../execution/executor.js'
import { setStorage } from './stateEdits.js'
import { orElse } from '../state/whenReady.js'

/** A call that reads: to a 20-byte contract, with its encoded arguments. */
export interface ReadingCall {
  to: Uint8Array
  data: Uint8Array
}

/** What the search for a slot works with. */
export interface CallResultParts {
  chain: Chain
  executor: Pick<MessageExecutor, 'call' | 'createAccessList'>
}

/**
 * Makes a reading call of a contract return a number, such as `balanceOf` of a token: each slot that the call reads is
 * tried with the number in it, and the one that makes the call return it is set.
 *
 * @returns false if no slot does
 */
export async function setCallResult(
  { chain, executor }: CallResultParts,
  call: ReadingCall,
  value: bigint,
): Promise<boolean> {
  const request = { view: chain.view, block: { tag: 'latest' as const }, call }
  const word = bigintToBytes(value, 32)
  const { accessList } = await executor.createAccessList(request)
  for (const { address, slot } of slotsOf(accessList)) {
    const stateOverrides = [{ address, stateDiff: [{ slot, value: word }] }]
    const result = await orElse<Uint8Array | undefined>(
      () => executor.call({ ...request, stateOverrides }),
      ignoreFailedExecution,
    )
    if (result?.length !== 32 || bytesToBigint(result) !== value) continue
    await setStorage(chain, address, slot, word)
    return true
  }
  return false
}

function* slotsOf(list: readonly AccessListEntry[]): Iterable<{ address: Uint8Array; slot: Uint8Array }> {
  for (const { address, storageKeys } of list) for (const slot of storageKeys) yield { address, slot }
}

function ignoreFailedExecution(error: unknown): undefined {
  if (error instanceof ExecutionRevertedError || error instanceof ExecutionFailedError) return undefined
  throw error
}
