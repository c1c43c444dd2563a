import { addressKey, bytesKey } from '../../../chain/state/account.js'
import type { BlockSelector, ChainView } from '../../../chain/view.js'
import { minBigint } from '../../../encoding/bigints.js'
import { LargeSet } from '../../../encoding/largeMap.js'
import { type Steps, TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { InvalidParamsError } from '../../errors.js'
import { ListWriter, PieceWriter } from '../../format/pieces.js'
import { defineMethod, required } from '../../method.js'
import { blockNumber } from '../../params/blockSelector.js'
import { address } from '../../params/bytes.js'
import { type Decoder, list, struct } from '../../params/combinators.js'
import { controlNumber } from '../../params/numbers.js'
import { writeFrameTexts } from '../../parity/parityTrace.js'
import type { FlatCall } from '../../tracers/flatCallTracer.js'
import { WireBytes } from '../../wire.js'
import { findBlock, latestBlock } from '../findBlock.js'
import { traceBudget } from '../traces.js'

const wholeNumber: Decoder<number> = {
  schema: controlNumber.schema,
  decode: (value) => Number(controlNumber.decode(value)),
}

/** Filter of trace_filter. */
const traceFilter = struct(
  { struct: 'TraceFilter', type: 'TraceFilter' },
  {
    fromBlock: blockNumber,
    toBlock: blockNumber,
    fromAddress: list(address, '[]common.Address'),
    toAddress: list(address, '[]common.Address'),
    after: wholeNumber,
    count: wholeNumber,
  },
)

/**
 * trace_filter: returns frames of a block range in Parity's format, filtered by sender and recipient addresses. Skips
 * `after` matches and returns at most `count`. The default range is the head, and in anvil all blocks.
 */
export const filter = defineMethod('trace_filter', [required('filter', traceFilter)], async (call, given) => {
  const { view } = call
  const budget = traceBudget(call)
  const { traceForm } = call.backend.settings.compatibility
  const start: BlockSelector = { tag: traceForm === 'anvil' ? 'earliest' : 'latest' }
  const bounds = [given.fromBlock ?? start, given.toBlock ?? latestBlock] as const
  if (traceForm === 'anvil') checkAnvilRange(view, bounds)
  const [from, to] = [numberOf(view, bounds[0]), numberOf(view, bounds[1])]
  if (from > to) throw new InvalidParamsError('invalid block range params')
  const { after = 0, count = Infinity, fromAddress, toAddress } = given
  const slice = new TimeSlice()
  const senders = await runInSlices(addressSet(fromAddress), slice)
  const recipients = await runInSlices(addressSet(toAddress), slice)
  const writer = new PieceWriter()
  const list = new ListWriter(writer)
  let found = 0
  const keep = ({ frame }: FlatCall): boolean => {
    if (senders?.has(addressKey(frame.from)) === false) return false
    if (recipients?.has(addressKey(frame.to)) === false) return false
    found++
    return found > after && found <= after + count
  }
  for await (const block of view.blocksWithTransactions({ from, to })) {
    if (found >= after + count) break
    await writeFrameTexts(call, { block, budget, keep }, (text) => list.append(text))
  }
  list.end()
  return new WireBytes(writer.pieces())
})

/** Highest number of blocks after the first one in a range of anvil. */
const MAX_RANGE = 300n

/** @throws InvalidParamsError with anvil's message for a range that it refuses, before bounds are clamped */
function checkAnvilRange(view: ChainView, bounds: readonly [BlockSelector, BlockSelector]): void {
  const numbers = bounds.map((selector) =>
    'number' in selector ? selector.number : numberOf(view, selector),
  )
  const [from = 0n, to = 0n] = numbers
  if (from > to) {
    throw new InvalidParamsError('invalid block range, ensure that to block is greater than from block')
  }
  if (to - from > MAX_RANGE) {
    throw new InvalidParamsError(`block range too large, currently limited to ${MAX_RANGE}`)
  }
}

/** Resolves a bound; those beyond the head mean the head. */
function numberOf(view: ChainView, selector: BlockSelector): bigint {
  const head = view.head().header.number
  if ('number' in selector) return minBigint(selector.number, head)
  return findBlock(view, selector)?.header.number ?? head
}

/** Addresses indexed between two yields. */
const ADDRESSES_AT_ONCE = 4096

/** Returns the map keys of addresses; undefined if there are none, which means any. */
function* addressSet(addresses: readonly Uint8Array[] = []): Steps<LargeSet | undefined> {
  if (addresses.length === 0) return undefined
  const keys = new LargeSet()
  for (const [index, address] of addresses.entries()) {
    keys.add(bytesKey(address))
    if (index % ADDRESSES_AT_ONCE === 0) yield
  }
  return keys
}
