import { defineMethod } from '../../method.js'

/** eth_hashrate: zero, as the hosted provider answers it. */
export const hashrate = defineMethod('eth_hashrate', [], () => '0x0')
