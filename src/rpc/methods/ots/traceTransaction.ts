import type { CallFrame } from '../../../chain/tracing/callTracer.js'
import { bytesToHex, quantity } from '../../../encoding/hex.js'
import { flattenCalls } from '../../tracers/flatCallTracer.js'
import { writtenList } from '../../format/pieces.js'
import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/bytes.js'
import { transactionFrame } from '../../otterscan/blockDetails.js'

/**
 * ots_traceTransaction: returns a transaction's frames with their depths; for an unknown hash null, in anvil an empty
 * list.
 */
export const traceTransaction = defineMethod(
  'ots_traceTransaction',
  [required('transactionHash', hash)],
  async (call, transactionHash) => {
    const top = await transactionFrame(call, transactionHash)
    if (top === undefined) return call.backend.settings.compatibility.missing === 'anvil' ? [] : null
    return writtenList(flattenCalls(top), ({ frame, traceAddress }) => ({
      type: frame.type,
      depth: traceAddress.length,
      from: bytesToHex(frame.from),
      to: bytesToHex(frame.to),
      value: hasValue(frame) ? quantity(frame.value ?? 0n) : null,
      input: bytesToHex(frame.input),
      output: bytesToHex(frame.output ?? new Uint8Array(0)),
    }))
  },
)

function hasValue({ type }: CallFrame): boolean {
  return type !== 'STATICCALL' && type !== 'DELEGATECALL'
}
