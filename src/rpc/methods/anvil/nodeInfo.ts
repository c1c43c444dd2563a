import { bytesToHex, quantity } from '../../../encoding/hex.js'
import { TimeSlice } from '../../../encoding/timeSlice.js'
import { version } from '../../../version.js'
import type { Backend } from '../../backend.js'
import { defineMethod } from '../../method.js'
import type { JsonValue } from '../../wire.js'

/** anvil_metadata: describes the node, its current run, head and snapshots. */
export const metadata = defineMethod('anvil_metadata', [], async ({ view, backend }) => {
  const { header, hash } = view.head()
  const { metadataIsComplete } = backend.settings.compatibility
  return {
    clientVersion: backend.clientVersion,
    ...(metadataIsComplete && { clientSemver: version, clientCommitSha: '' }),
    chainId: Number(view.chainId),
    instanceId: bytesToHex(backend.controls.facts().instanceId),
    latestBlockNumber: Number(header.number),
    latestBlockHash: bytesToHex(hash),
    ...(metadataIsComplete && { forkedNetwork: null, snapshots: await describeSnapshots(backend) }),
  }
})

async function describeSnapshots({ controls }: Backend): Promise<Record<string, JsonValue>> {
  const described: Record<string, JsonValue> = {}
  const slice = new TimeSlice()
  for (const { id, blockNumber, blockHash } of controls.snapshots()) {
    described[quantity(id)] = [Number(blockNumber), bytesToHex(blockHash)]
    await slice.pause()
  }
  return described
}

/** anvil_nodeInfo: describes the head and the settings of the next block. */
export const nodeInfo = defineMethod('anvil_nodeInfo', [], async ({ view, backend }) => {
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
      gasPrice: quantity(baseFee + (await backend.suggestedTip())),
    },
    forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
    network: null,
  }
})
