import type { AccessListResult } from '../../../chain/calls/accessList.js'
import type { Steps } from '../../../encoding/timeSlice.js'
import { ListWriter, type PieceWriter, jsonBytes, jsonQuantity, written } from '../../format/pieces.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { type CallArguments, callObject, stateOverride } from '../../params/callObject.js'
import { type WireBytes, printJson } from '../../wire.js'
import { checkBlobFeeCap, checkFeeWidths, executionRequest } from '../transactionRequest.js'

/** Writes the result of eth_createAccessList (geth: internal/ethapi/api.go, accessListResult). */
function* writeResult({ accessList, gasUsed, error }: AccessListResult, writer: PieceWriter): Steps<void> {
  writer.append('{"accessList":')
  const list = new ListWriter(writer)
  for (const { address, storageKeys } of accessList) {
    list.append(`{"address":${jsonBytes(address)},"storageKeys":`)
    const keys = new ListWriter(writer)
    for (const key of storageKeys) {
      keys.append(jsonBytes(key))
      yield
    }
    keys.end()
    writer.append('}')
    yield
  }
  list.end()
  const failure = error === undefined ? '' : `,"error":${printJson(error)}`
  writer.append(`${failure},"gasUsed":${jsonQuantity(gasUsed)}}`)
}

function resultWire(result: AccessListResult): Promise<WireBytes> {
  return written((writer) => writeResult(result, writer))
}

/**
 * eth_createAccessList: returns a transaction's access list and the gas it uses with that list (EIP-2930). In anvil a
 * failing message is refused like in eth_call, and its fees are ignored.
 */
export const createAccessList = defineMethod(
  'eth_createAccessList',
  [
    required('transaction', callObject),
    optional('block', blockSelector),
    optional('stateOverrides', stateOverride),
  ],
  async (call, transaction, block, stateOverrides) => {
    const { executor, settings } = call.backend
    const { compatibility } = settings
    checkBlobFeeCap(transaction)
    if (!compatibility.accessListsFollowCallRules) {
      const request = executionRequest(call, { transaction, block, stateOverrides })
      return resultWire(await executor.createAccessList(request))
    }
    checkFeeWidths(transaction, compatibility)
    const request = executionRequest(call, { transaction: withoutFees(transaction), block, stateOverrides })
    await executor.call(request)
    return resultWire(await executor.createAccessList(request))
  },
)

function withoutFees(given: CallArguments): CallArguments {
  return { ...given, gasPrice: undefined, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }
}
