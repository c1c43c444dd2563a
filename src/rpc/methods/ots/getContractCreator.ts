import type { CallFrame } from '../../../chain/tracing/callTracer.js'
import type { ChainView } from '../../../chain/view.js'
import { bytesEqual, bytesToHex } from '../../../encoding/hex.js'
import { runInSlices, TimeSlice, type Steps } from '../../../encoding/timeSlice.js'
import { flattenCalls } from '../../tracers/flatCallTracer.js'
import type { JsonValue } from '../../wire.js'
import { defineMethod, required } from '../../method.js'
import { address } from '../../params/bytes.js'
import { eachFrame } from '../../parity/parityTrace.js'
import { traceBudget } from '../traces.js'

/** ots_getContractCreator: returns a contract's creation transaction and creator, or null. */
export const getContractCreator = defineMethod(
  'ots_getContractCreator',
  [required('address', address)],
  async (call, contract) => {
    const block = await firstBlockWithCode(call.view, contract)
    if (block === undefined) return null
    const slice = new TimeSlice()
    let found: JsonValue = null
    await eachFrame(call, { block, budget: traceBudget(call) }, async (top, index) => {
      const creator = found === null ? await runInSlices(creatorOf(contract, top), slice) : undefined
      const hash = block.transactions[index]?.hash
      if (creator === undefined || hash === undefined) return
      found = { hash: bytesToHex(hash), creator: bytesToHex(creator) }
    })
    return found
  },
)

/** Returns the creator of a contract if it was created within a frame. */
function* creatorOf(contract: Uint8Array, top: CallFrame): Steps<Uint8Array | undefined> {
  for (const { frame } of flattenCalls(top)) {
    const { type, from, to, failure } = frame
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    if (isCreation && failure === undefined && bytesEqual(to, contract)) return from
    yield
  }
  return undefined
}

/** Finds the first block after which the contract exists, by binary search. */
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
