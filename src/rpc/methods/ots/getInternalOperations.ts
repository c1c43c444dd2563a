import { bytesToHex, quantity } from '../../../encoding/hex.js'
import type { CallFrame } from '../../../chain/tracing/callTracer.js'
import { flattenCalls } from '../../tracers/flatCallTracer.js'
import { writtenList } from '../../format/pieces.js'
import type { JsonValue } from '../../wire.js'
import { RpcError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/bytes.js'
import { transactionFrame } from '../../otterscan/blockDetails.js'

/** Otterscan's numbers of operation types. */
const operations: Readonly<Partial<Record<CallFrame['type'], number>>> = {
  CALL: 0,
  SELFDESTRUCT: 1,
  CREATE: 2,
  CREATE2: 3,
}

/**
 * ots_getInternalOperations: returns a transaction's ether transfers, self-destructs and creations, or null; like
 * erigon and anvil, with those that failed or were reverted.
 */
export const getInternalOperations = defineMethod(
  'ots_getInternalOperations',
  [required('transactionHash', hash)],
  async (call, transactionHash) => {
    const top = await transactionFrame(call, transactionHash)
    if (top === undefined) {
      if (call.backend.settings.compatibility.missing === 'anvil') {
        throw new RpcError(-32603, 'Required data unavailable')
      }
      return null
    }
    return writtenList(flattenCalls(top), ({ frame }) => operationOf(frame))
  },
)

function operationOf({ type, from, to, value = 0n }: CallFrame): JsonValue | undefined {
  const number = operations[type]
  if (number === undefined || (type === 'CALL' && value === 0n)) return undefined
  return { type: number, from: bytesToHex(from), to: bytesToHex(to), value: quantity(value) }
}
