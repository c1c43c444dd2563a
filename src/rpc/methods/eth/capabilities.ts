import { bytesToHex, quantity } from '../../../encoding/hex.js'
import { defineMethod } from '../../method.js'

/** eth_capabilities: returns the oldest block of each kind of data. Nothing is ever deleted here. */
export const capabilities = defineMethod('eth_capabilities', [], ({ view }) => {
  const { hash, header } = view.head()
  const oldest = view.resolve({ tag: 'earliest' })?.header.number ?? 0n
  const kept = { disabled: false, oldestBlock: quantity(oldest) }
  return {
    head: { number: quantity(header.number), hash: bytesToHex(hash) },
    state: kept,
    tx: kept,
    logs: kept,
    receipts: kept,
    blocks: kept,
    stateproofs: kept,
  }
})
