import { defineMethod } from '../../method.js'

/** net_peerCount: zero: an own chain has no peers. */
export const peerCount = defineMethod('net_peerCount', [], () => '0x0')
