import { TimeSlice } from '../../encoding/timeSlice.js'
import type { StoredBlock } from '../block/record.js'
import { ChainError } from '../errors.js'
import { executeCall, withCall, type CallRequest } from '../calls/call.js'
import { createCallSite, siteOn, type CallSite } from '../calls/callSite.js'
import type { MessageResult } from '../vm/runTransaction.js'
import type { AccountOverride } from '../calls/overrides.js'
import type { BlockSelector, ChainView } from '../view.js'
import { replayBlock, type ReplaySources } from './replay.js'

/** A call of a sequence, and the block that it sees. */
export type SequencedCall = Pick<
  CallRequest,
  'call' | 'blockOverrides' | 'gasCapInBlocks' | 'baseFee' | 'unfunded'
>

/** Calls to run one after another, each on what those before it left. */
export interface SequenceRequest {
  view: ChainView
  /** Where the first call runs: behind all transactions of a block, or behind the first few of them. */
  place: { after: BlockSelector } | { within: StoredBlock; transactions: number }
  /** What is different for the first call, and so for all. */
  stateOverrides?: readonly AccountOverride[] | undefined
  calls: readonly SequencedCall[]
}

/** Runs calls on one state that is thrown away (eth_callMany). */
export class CallSequence {
  readonly #sources: ReplaySources

  constructor(sources: ReplaySources) {
    this.#sources = sources
  }

  /**
   * What each call did; how it failed is part of that.
   *
   * @throws ChainError if one of them may not be executed, or the block has fewer transactions.
   */
  async run(request: SequenceRequest): Promise<MessageResult[]> {
    const { view, place } = request
    if ('after' in place) return runOn(createCallSite(view, await view.stateAt(place.after)), request)
    const { within: block, transactions } = place
    if (transactions > block.transactions.length) {
      throw new ChainError(`transaction index ${transactions} out of range for block ${block.header.number}`)
    }
    return replayBlock(this.#sources, view, block, async (replay) => {
      for (let index = 0; index < transactions; index++) await replay.next()
      const { header } = block
      return runOn(siteOn(view, { header, rules: view.rulesAt(header), state: replay.state }), request)
    })
  }
}

async function runOn(
  site: CallSite,
  { calls, stateOverrides }: Pick<SequenceRequest, 'calls' | 'stateOverrides'>,
): Promise<MessageResult[]> {
  const results: MessageResult[] = []
  const slice = new TimeSlice()
  for (const [index, call] of calls.entries()) {
    await slice.pause()
    const overrides = index === 0 ? { stateOverrides } : {}
    const result = await withCall({ site, ...call, ...overrides }, executeCall)
    results.push({ ...result, returnData: result.returnData.slice() })
  }
  return results
}
