import { bytesToHex } from '../../../encoding/hex.js'
import { quantity } from '../../../encoding/quantity.js'
import { version } from '../../../version.js'
import { defineMethod } from '../../method.js'

/** anvil_metadata: the node, this run of it, its head and its snapshots. */
export const metadata = defineMethod('anvil_metadata', [], ({ view, backend }) => {
  const { number } = view.head().header
  const snapshots = backend.controls
    .snapshots()
    .map(({ id, blockNumber, blockHash }) => [quantity(id), [Number(blockNumber), bytesToHex(blockHash)]])
  return {
    clientVersion: backend.clientVersion,
    clientSemver: version,
    clientCommitSha: '',
    chainId: Number(view.chainId),
    instanceId: bytesToHex(backend.controls.facts().instanceId),
    latestBlockNumber: Number(number),
    latestBlockHash: bytesToHex(view.head().hash),
    ...(backend.settings.compatibility.metadataIncludesSnapshots && {
      forkedNetwork: null,
      snapshots: Object.fromEntries(snapshots),
    }),
  }
})
