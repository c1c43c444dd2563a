import type { BlockSelector, ChainView } from '../../../chain/view.js'
import { bytesEqual } from '../../../encoding/hex.js'
import { InvalidParamsError } from '../../errors.js'
import type { FlatCall } from '../../format/flatCalls.js'
import { defineMethod, required } from '../../method.js'
import { traceFilter, type TraceFilterArguments } from '../../params/traceFilter.js'
import { blockFrames, parityTexts } from '../../parity/blockFrames.js'
import { wireArray } from '../../wire.js'
import { findBlock } from '../findBlock.js'
import { traceBudget } from '../traces.js'

/**
 * trace_filter: the frames between two blocks whose sender is one of some addresses and whose recipient is one of some
 * others, in Parity's form; so many after so many.
 */
export const filter = defineMethod('trace_filter', [required('filter', traceFilter)], async (call, given) => {
  const { view } = call
  const budget = traceBudget(call, {})
  const [from, to] = [numberOf(view, given.fromBlock), numberOf(view, given.toBlock)]
  if (from > to) throw new InvalidParamsError('invalid block range params')
  const { after = 0, count = Infinity } = given
  const texts: string[] = []
  for (let number = from; number <= to && texts.length < after + count; number++) {
    const block = view.blockByNumber(number)
    if (block === undefined) break
    const frames = await blockFrames(call, block, budget)
    texts.push(...parityTexts(block, frames, (flat) => matches(flat, given)))
  }
  return wireArray(texts.slice(after, after + count))
})

/** Bounds beyond the head are the head. */
function numberOf(view: ChainView, selector: BlockSelector = { tag: 'latest' }): bigint {
  const head = view.head().header.number
  if ('number' in selector) return selector.number < head ? selector.number : head
  return findBlock(view, selector)?.header.number ?? head
}

function matches(
  { frame: { from, to } }: FlatCall,
  { fromAddress = [], toAddress = [] }: TraceFilterArguments,
): boolean {
  const isAmong = (address: Uint8Array, wanted: readonly Uint8Array[]): boolean =>
    wanted.length === 0 || wanted.some((one) => bytesEqual(one, address))
  return isAmong(from, fromAddress) && isAmong(to, toAddress)
}
