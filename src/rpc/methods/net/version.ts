import { defineMethod } from '../../method.js'

/** net_version: the chain id in decimal digits. */
export const version = defineMethod('net_version', [], ({ view }) => view.chainId.toString())
