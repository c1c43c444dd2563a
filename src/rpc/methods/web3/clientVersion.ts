import { defineMethod } from '../../method.js'

/** web3_clientVersion: the name and version of the node. */
export const clientVersion = defineMethod('web3_clientVersion', [], ({ backend }) => backend.clientVersion)
