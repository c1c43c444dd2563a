import { defineMethod } from '../../method.js'

/** net_listening: true: the node answers. */
export const listening = defineMethod('net_listening', [], () => true)
