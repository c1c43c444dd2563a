import type { AccessListResult } from '../../../chain/calls/accessList.js'
import type { AccessListEntry, CallObject } from '../../../chain/calls/callObject.js'
import { bytesToHex, quantity } from '../../../encoding/hex.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { callObject, stateOverride } from '../../params/callObject.js'
import { WireBytes, printJson } from '../../wire.js'
import { checkBlobFeeCap, executionRequest } from '../transactionRequest.js'

/** The result of eth_createAccessList (geth: internal/ethapi/api.go, accessListResult). */
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
 * eth_createAccessList: what a transaction touches, and what it costs with that declared (EIP-2930). In anvil a message
 * that fails is refused as by eth_call, and the fees need not come together.
 */
export const createAccessList = defineMethod(
  'eth_createAccessList',
  [
    required('transaction', callObject),
    optional('block', blockSelector),
    optional('stateOverrides', stateOverride),
  ],
  async (call, transaction, block, stateOverrides) => {
    checkBlobFeeCap(transaction)
    const { executor, settings } = call.backend
    const request = executionRequest(call, { transaction, block, stateOverrides })
    if (!settings.compatibility.accessListsFollowCallRules)
      return accessListWire(await executor.createAccessList(request))
    const priced = { ...request, call: withBothFees(request.call) }
    await executor.call(priced)
    return accessListWire(await executor.createAccessList(priced))
  },
)

/** The call with the EIP-1559 fee that it leaves out: no tip, or a cap that is the tip. */
function withBothFees(call: CallObject): CallObject {
  const { maxFeePerGas, maxPriorityFeePerGas } = call
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas === undefined)
    return { ...call, maxPriorityFeePerGas: 0n }
  return maxFeePerGas === undefined && maxPriorityFeePerGas !== undefined
    ? { ...call, maxFeePerGas: maxPriorityFeePerGas }
    : call
}
