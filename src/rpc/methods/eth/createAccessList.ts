import type { AccessListResult } from '../../../chain/calls/accessList.js'
import type { AccessListEntry } from '../../../chain/calls/callObject.js'
import { bytesToHex, quantity } from '../../../encoding/hex.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { type CallArguments, callObject, stateOverride } from '../../params/callObject.js'
import { WireBytes, printJson } from '../../wire.js'
import { checkBlobFeeCap, checkFeeWidths, executionRequest } from '../transactionRequest.js'

/** Formats the result of eth_createAccessList (geth: internal/ethapi/api.go, accessListResult). */
export function accessListWire({ accessList, gasUsed, error }: AccessListResult): WireBytes {
  const failure = error === undefined ? '' : `"error":${printJson(error)},`
  return new WireBytes([
    `{"accessList":[${accessList.map(entryText).join(',')}],${failure}"gasUsed":"${quantity(gasUsed)}"}`,
  ])
}

function entryText({ address, storageKeys }: AccessListEntry): string {
  const keys = storageKeys.map((key) => `"${bytesToHex(key)}"`).join(',')
  return `{"address":"${bytesToHex(address)}","storageKeys":[${keys}]}`
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
      return accessListWire(await executor.createAccessList(request))
    }
    checkFeeWidths(transaction, compatibility)
    const request = executionRequest(call, { transaction: withoutFees(transaction), block, stateOverrides })
    await executor.call(request)
    return accessListWire(await executor.createAccessList(request))
  },
)

function withoutFees(given: CallArguments): CallArguments {
  return { ...given, gasPrice: undefined, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }
}
