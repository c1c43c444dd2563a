import { ExecutionFailedError } from '../../chain/errors.js'
import { revertError } from '../../chain/execution/revertReason.js'
import type { ChainEvent } from '../../chain/events.js'
import { bytesEqual, bytesToHex } from '../../encoding/hex.js'
import type { Awaitable } from '../../chain/types.js'
import type { Backend } from '../backend.js'

/**
 * Sends a transaction and answers its hash. In hardhat one that was mined at once and failed is answered with the
 * failure; it stays mined.
 *
 * @param send - sends and gives the hash
 * @throws ExecutionRevertedError or ExecutionFailedError as hardhat does
 */
export async function answerSent(
  { events, settings }: Pick<Backend, 'events' | 'settings'>,
  send: () => Awaitable<Uint8Array>,
): Promise<string> {
  if (!settings.compatibility.reportsMinedFailures) return bytesToHex(await send())
  const heads: Extract<ChainEvent, { type: 'head' }>[] = []
  const end = events.subscribe((event) => {
    if (event.type === 'head') heads.push(event)
  })
  try {
    const hash = await send()
    for (const { executed } of heads) {
      const mined = executed?.transactions.find((transaction) => bytesEqual(transaction.hash, hash))
      if (mined?.failure === undefined) continue
      if (mined.failure === 'execution reverted') throw revertError(mined.output ?? new Uint8Array(0))
      throw new ExecutionFailedError(mined.failure)
    }
    return bytesToHex(hash)
  } finally {
    end()
  }
}
