import { defineMethod } from '../../method.js'

/** eth_mining: false, as the hosted provider answers it. */
export const mining = defineMethod('eth_mining', [], () => false)
