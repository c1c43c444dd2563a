import { defineMethod } from '../../method.js'

/** eth_getWork: an empty list: there is no proof of work to be done. */
export const getWork = defineMethod('eth_getWork', [], () => [])
