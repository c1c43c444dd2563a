import { bytesToHex } from '../../encoding/hex.js'
import { RpcError } from '../errors.js'
import type { Call } from '../method.js'
import { receiptWire } from './receiptWire.js'
import { WireBytes } from '../wire.js'

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
