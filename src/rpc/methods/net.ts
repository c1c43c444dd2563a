import { type Method, defineMethod } from '../method.js'

/** The methods of the `net_` namespace. */
export const netMethods: readonly Method[] = [
  /** net_listening: returns true. */
  defineMethod('net_listening', [], () => true),
  /** net_peerCount: returns zero, as the node has no peers. */
  defineMethod('net_peerCount', [], () => '0x0'),
  /** net_version: returns the chain id as a decimal string. */
  defineMethod('net_version', [], ({ view }) => view.chainId.toString()),
]
