import { quantity } from '../../../encoding/hex.js'
import { defineMethod } from '../../method.js'

/** eth_blockNumber: returns the number of the head. */
export const blockNumber = defineMethod('eth_blockNumber', [], ({ view }) =>
  quantity(view.head().header.number),
)

/** eth_syncing: returns false: the node's own chain has no peers to sync with. */
export const syncing = defineMethod('eth_syncing', [], () => false)

/** eth_protocolVersion: returns the p2p protocol version, with the hosted provider's value. */
export const protocolVersion = defineMethod('eth_protocolVersion', [], () => '0x41')

/** eth_networkId: anvil's alias of net_version. */
export const networkId = defineMethod('eth_networkId', [], ({ view }) => view.chainId.toString())

/** eth_chainId: returns the chain id that transactions are signed for. */
export const chainId = defineMethod('eth_chainId', [], ({ view }) => quantity(view.chainId))
