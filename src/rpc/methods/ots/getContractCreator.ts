import type { ChainView } from '../../../chain/view.js'
import { bytesEqual, bytesToHex } from '../../../encoding/hex.js'
import { flattenCalls } from '../../format/flatCalls.js'
import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { blockFrames } from '../../parity/blockFrames.js'
import { traceBudget } from '../traces.js'

/** ots_getContractCreator: the transaction that created a contract, and who did it; or null. */
export const getContractCreator = defineMethod(
  'ots_getContractCreator',
  [required('address', address)],
  async (call, contract) => {
    const block = await firstBlockWithCode(call.view, contract)
    if (block === undefined) return null
    for (const { index, frame: top } of await blockFrames(call, block, traceBudget(call, {}))) {
      const creation = flattenCalls(top).find(
        ({ frame: { type, to, failure } }) =>
          (type === 'CREATE' || type === 'CREATE2') && failure === undefined && bytesEqual(to, contract),
      )
      const hash = block.transactions[index]?.hash
      if (creation === undefined || hash === undefined) continue
      return { hash: bytesToHex(hash), creator: bytesToHex(creation.frame.from) }
    }
    return null
  },
)

/** The block after which the contract is there, found by halving. */
async function firstBlockWithCode(view: ChainView, contract: Uint8Array) {
  const hasCodeAfter = async (number: bigint): Promise<boolean> => {
    const { state } = await view.stateAt({ number })
    return (await state.getCode(contract)).length > 0
  }
  let low = view.resolve({ tag: 'earliest' })?.header.number ?? 0n
  let high = view.head().header.number
  if (!(await hasCodeAfter(high))) return undefined
  while (low < high) {
    const middle = (low + high) / 2n
    if (await hasCodeAfter(middle)) high = middle
    else low = middle + 1n
  }
  return view.blockByNumber(low)
}
