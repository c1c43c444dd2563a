import { defineMethod } from '../../method.js'

/** eth_networkId: what net_version answers, under anvil's other name for it. */
export const networkId = defineMethod('eth_networkId', [], ({ view }) => view.chainId.toString())
