import { quantity } from '../../../encoding/hex.js'
import { defineMethod } from '../../method.js'

/** eth_blockNumber: the number of the head. */
export const blockNumber = defineMethod('eth_blockNumber', [], ({ view }) =>
  quantity(view.head().header.number),
)

/** eth_syncing: false, since an own chain has no peers to catch up with. */
export const syncing = defineMethod('eth_syncing', [], () => false)

/** eth_protocolVersion: the version of the wire protocol between nodes, as the hosted provider answers it. */
export const protocolVersion = defineMethod('eth_protocolVersion', [], () => '0x41')

/** eth_networkId: what net_version answers, under anvil's other name for it. */
export const networkId = defineMethod('eth_networkId', [], ({ view }) => view.chainId.toString())

/** eth_chainId: the chain id that transactions are signed for. */
export const chainId = defineMethod('eth_chainId', [], ({ view }) => quantity(view.chainId))
