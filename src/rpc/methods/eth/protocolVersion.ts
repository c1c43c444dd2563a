import { defineMethod } from '../../method.js'

/** eth_protocolVersion: the version of the wire protocol between nodes, as the hosted provider answers it. */
export const protocolVersion = defineMethod('eth_protocolVersion', [], () => '0x41')
