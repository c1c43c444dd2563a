import type { StoredBlock } from '../../chain/block/record.js'
import type { CallFrame } from '../../chain/tracing/callTracer.js'
import type { ChainView } from '../../chain/view.js'
import { latin1 } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { totalDifficultyMember } from '../format/block.js'
import { type TextSpan, jsonQuantity, textMember } from '../format/pieces.js'
import type { Call } from '../method.js'
import { traceBudget } from '../methods/traces.js'
import { eachFrame } from '../parity/parityTrace.js'
import { WireBytes, type WirePiece } from '../wire.js'

/**
 * Sums the transaction fees of a block, in wei.
 *
 * @param receipts - wire form of all its receipts, concatenated
 */
function* totalFees(receipts: Uint8Array): Steps<bigint> {
  const numberAt = ({ start, end }: TextSpan): bigint => BigInt(latin1(receipts, start, end))
  let sum = 0n
  let price = textMember(receipts, 'effectiveGasPrice')
  while (price !== undefined) {
    const gasUsed = textMember(receipts, 'gasUsed', price.end)
    if (gasUsed === undefined) throw new Error('the receipt has no gasUsed')
    sum += numberAt(price) * numberAt(gasUsed)
    price = textMember(receipts, 'effectiveGasPrice', gasUsed.end)
    yield
  }
  return sum
}

/** Length of 0x and the selector. */
const SELECTOR_DIGITS = 10

/** Returns a transaction object with its data cut after the selector. */
export function shortTransaction(wire: Uint8Array): WirePiece[] {
  const input = textMember(wire, 'input')
  if (input === undefined || input.end - input.start <= SELECTOR_DIGITS) return [wire]
  return [wire.subarray(0, input.start + SELECTOR_DIGITS), wire.subarray(input.end)]
}

/** Returns a receipt object without its logs and bloom filter. @param timestamp - of its block, seconds */
export function shortReceipt(wire: Uint8Array, timestamp: bigint): WirePiece[] {
  const logs = Buffer.from(wire.buffer, wire.byteOffset, wire.length).indexOf(',"logs":[')
  const bloom = textMember(wire, 'logsBloom', logs)
  if (bloom === undefined) throw new Error('the receipt has no bloom filter')
  const rest = wire.subarray(bloom.end + 1, -1)
  return [
    wire.subarray(0, logs),
    rest,
    `,"timestamp":${jsonQuantity(timestamp)},"logs":null,"logsBloom":null}`,
  ]
}

/** Returns a receipt object with the time of its block, in seconds. */
export function timedReceipt(wire: Uint8Array, timestamp: bigint): WirePiece[] {
  return [wire.subarray(0, -1), `,"timestamp":${jsonQuantity(timestamp)}}`]
}

/** Returns a block object for Otterscan with the transaction count, without transactions and closing brace. */
export function blockObject(view: ChainView, block: StoredBlock): WirePiece[] {
  const difficulty = totalDifficultyMember(block, { totalDifficulty: true })
  return [view.wire(block).head(), `${difficulty},"transactionCount":${block.transactions.length}`]
}

/** Returns a block without transactions, with its rewards and total fees. */
export async function blockDetails(view: ChainView, block: StoredBlock): Promise<WireBytes> {
  const object = blockObject(view, block)
  const fees = await runInSlices(totalFees(view.wire(block).receipts()), new TimeSlice())
  return new WireBytes([
    '{"block":',
    ...object,
    '},"issuance":{"blockReward":"0x0","uncleReward":"0x0","issuance":"0x0"}',
    `,"totalFees":${jsonQuantity(fees)}}`,
  ])
}

/** Returns the outermost frame of a mined transaction, or undefined if there is none with this hash. */
export async function transactionFrame(call: Call, hash: Uint8Array): Promise<CallFrame | undefined> {
  const location = call.view.transactionLocation(hash)
  if (location === undefined) return undefined
  const { block, index } = location
  let frame: CallFrame | undefined
  await eachFrame(call, { block, transactionIndex: index, budget: traceBudget(call) }, (top) => {
    frame = top
  })
  return frame
}
