import { bytesToHex, quantity } from '../../../encoding/hex.js'
import { version } from '../../../version.js'
import { defineMethod } from '../../method.js'

/** anvil_metadata: describes the node, its current run, head and snapshots. */
export const metadata = defineMethod('anvil_metadata', [], ({ view, backend }) => {
  const { number } = view.head().header
  const { metadataIsComplete } = backend.settings.compatibility
  const snapshots = backend.controls
    .snapshots()
    .map(({ id, blockNumber, blockHash }) => [quantity(id), [Number(blockNumber), bytesToHex(blockHash)]])
  return {
    clientVersion: backend.clientVersion,
    ...(metadataIsComplete && { clientSemver: version, clientCommitSha: '' }),
    chainId: Number(view.chainId),
    instanceId: bytesToHex(backend.controls.facts().instanceId),
    latestBlockNumber: Number(number),
    latestBlockHash: bytesToHex(view.head().hash),
    ...(metadataIsComplete && { forkedNetwork: null, snapshots: Object.fromEntries(snapshots) }),
  }
})

/** anvil_nodeInfo: describes the head and the settings of the next block. */
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
      gasPrice: quantity(baseFee + backend.suggestedTip()),
    },
    forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
    network: null,
  }
})
