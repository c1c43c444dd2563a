import { ExecutionFailedError, FailedTransactionError } from '../../chain/errors.js'
import type { ChainEvent } from '../../chain/events.js'
import { revertError } from '../../chain/evm/revertReason.js'
import type { Awaitable } from '../../chain/types.js'
import { bytesEqual, bytesToHex } from '../../encoding/hex.js'
import type { Backend } from '../backend.js'
import { RpcError } from '../errors.js'
import type { Call } from '../method.js'
import { WireBytes } from '../wire.js'
import { receiptWire } from './receiptWire.js'

/** How long a sender waits unless it says so, and at most, in milliseconds (geth: internal/ethapi/api.go). */
const DEFAULT_TIMEOUT = 20_000
const LONGEST_TIMEOUT = 60_000
/** The code of a wait that ended without a receipt (EIP-7966). */
const TIMED_OUT = 4

/**
 * The receipt of a transaction that was sent just now, when it is there.
 *
 * @throws RpcError if it is not mined in time; the transaction goes on waiting.
 */
export function awaitReceipt(call: Call, hash: Uint8Array, timeout = DEFAULT_TIMEOUT): Promise<WireBytes> {
  const { view, backend, context } = call
  const limit = Math.min(timeout || DEFAULT_TIMEOUT, LONGEST_TIMEOUT)
  return new Promise((resolve, reject) => {
    // Heard as an event: what it throws would reach whoever mined the block, and never the sender.
    const look = (): void => {
      try {
        const location = view.transactionLocation(hash)
        if (location === undefined) return
        stop()
        resolve(new WireBytes([receiptWire(call, location.block, location.index)]))
      } catch (fault) {
        stop()
        reject(fault)
      }
    }
    const giveUp = (): void => {
      stop()
      const words = `The transaction was added to the transaction pool but wasn't processed in ${limit / 1000}s`
      reject(new RpcError(TIMED_OUT, words, { data: bytesToHex(hash) }))
    }
    const end = backend.events.subscribe(({ type }) => {
      if (type === 'head') look()
    })
    const timer = setTimeout(giveUp, limit)
    const stop = (): void => {
      clearTimeout(timer)
      end()
      context.signal?.removeEventListener('abort', giveUp)
    }
    context.signal?.addEventListener('abort', giveUp)
    look()
  })
}

/**
 * Sends a transaction and answers its hash. In hardhat one that was mined at once and failed is answered with the
 * failure; it stays mined.
 *
 * @param send - sends and gives the hash
 * @throws FailedTransactionError as hardhat does
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
      const failure =
        mined.failure === 'execution reverted'
          ? revertError(mined.output ?? new Uint8Array(0))
          : new ExecutionFailedError(mined.failure)
      throw new FailedTransactionError(hash, failure)
    }
    return bytesToHex(hash)
  } finally {
    end()
  }
}
