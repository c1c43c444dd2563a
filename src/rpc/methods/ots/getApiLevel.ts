import { defineMethod } from '../../method.js'

/** ots_getApiLevel: the version of these methods that Otterscan finds here. */
export const getApiLevel = defineMethod('ots_getApiLevel', [], () => 8)
