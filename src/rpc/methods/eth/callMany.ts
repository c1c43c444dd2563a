import type { SequencedCall, SequenceRequest } from '../../../chain/tracing/callSequence.js'
import { failureOf } from '../../../chain/execution/call.js'
import type { MessageResult } from '../../../chain/vm/runTransaction.js'
import type { BlockSelector, ChainView } from '../../../chain/view.js'
import { bytesToHex } from '../../../encoding/hex.js'
import { toRpcError } from '../../chainErrors.js'
import type { CompatibilityProfile } from '../../compatibility.js'
import type { JsonValue } from '../../wire.js'
import { defineMethod, optional, required } from '../../method.js'
import { anything } from '../../params/anything.js'
import { callBundle, stateContext } from '../../params/callBundle.js'
import { list } from '../../params/list.js'
import { stateOverride } from '../../params/stateOverride.js'
import { executionRequest } from '../executionRequest.js'
import { latestBlock } from '../latestBlock.js'
import { tracedBlock } from '../tracedBlock.js'

const ALL = -1

/**
 * eth_callMany: what messages return one after another, each on what those before it left, in bundles that each see a
 * block of their own. A message that fails gives the reason and does not end the rest (Erigon:
 * turbo/jsonrpc/eth_callMany.go; reth: rpc-eth-api, call_many, whose form the answers have). The timeout is not looked
 * at.
 */
export const callMany = defineMethod(
  'eth_callMany',
  [
    required('bundles', list(callBundle, '[]Bundle')),
    optional('context', stateContext),
    optional('stateOverrides', stateOverride),
    optional('timeout', anything),
  ],
  async (context, bundles, given, stateOverrides) => {
    const { blockNumber: block = latestBlock, transactionIndex = ALL } = given ?? {}
    const { view, backend } = context
    const calls = bundles.map(({ calls: messages, overrides }) =>
      messages.map((transaction): SequencedCall => {
        const { call, blockOverrides, gasCapInBlocks, belowBaseFee, unfunded } = executionRequest(context, {
          transaction,
          block,
          stateOverrides: undefined,
          blockOverrides: overrides,
        })
        return { call, blockOverrides, gasCapInBlocks, belowBaseFee, unfunded }
      }),
    )
    const place = placeOf(view, block, transactionIndex)
    const results = await backend.sequence.run({ view, place, stateOverrides, calls: calls.flat() })
    let from = 0
    return calls.map((bundle) =>
      results
        .slice(from, (from += bundle.length))
        .map((result) => answer(result, backend.settings.compatibility)),
    )
  },
)

function placeOf(view: ChainView, block: BlockSelector, transactions: number): SequenceRequest['place'] {
  return transactions === ALL ? { after: block } : { within: tracedBlock(view, block), transactions }
}

function answer(
  result: MessageResult,
  { errorMessages }: Pick<CompatibilityProfile, 'errorMessages'>,
): JsonValue {
  const failure = failureOf(result)
  if (failure === undefined) return { value: bytesToHex(result.returnData) }
  return { error: toRpcError(failure, errorMessages).message }
}
