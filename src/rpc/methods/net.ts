import { type Method, defineMethod } from '../method.js'

/** net_version: the chain id in decimal digits. */
export const version = defineMethod('net_version', [], ({ view }) => view.chainId.toString())

/** net_peerCount: zero: an own chain has no peers. */
export const peerCount = defineMethod('net_peerCount', [], () => '0x0')

/** net_listening: true: the node answers. */
export const listening = defineMethod('net_listening', [], () => true)

/** The methods whose names begin with `net_`. */
export const netMethods: readonly Method[] = [listening, peerCount, version]
