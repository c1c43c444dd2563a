import { defineMethod } from '../../method.js'

/** eth_syncing: false: an own chain has nobody to catch up with. */
export const syncing = defineMethod('eth_syncing', [], () => false)
