import { bytesToHex } from '../../../encoding/hex.js'
import { quantity } from '../../../encoding/quantity.js'
import { suggestTip } from '../../fees/suggestTip.js'
import { defineMethod } from '../../method.js'

/** anvil_nodeInfo: the head and what the next block gets. */
export const nodeInfo = defineMethod('anvil_nodeInfo', [], ({ view, backend }) => {
  const { header, hash } = view.head()
  const { hardfork, order, baseFee, gasLimit } = backend.controls.facts()
  return {
    currentBlockNumber: quantity(header.number),
    currentBlockTimestamp: Number(header.timestamp),
    currentBlockHash: bytesToHex(hash),
    hardFork: hardfork.charAt(0).toUpperCase() + hardfork.slice(1),
    transactionOrder: order,
    environment: {
      baseFee: quantity(baseFee),
      chainId: Number(view.chainId),
      gasLimit: quantity(gasLimit),
      gasPrice: quantity(baseFee + suggestTip(view, backend.settings.startTip)),
    },
    forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
    network: null,
  }
})
