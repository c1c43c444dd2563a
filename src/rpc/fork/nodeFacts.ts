import { bytesToHex } from '../../encoding/hex.js'
import type { JsonValue } from '../wire.js'
import type { Call, Method } from '../method.js'
import type { RemoteChain } from './remoteChain.js'

/** What anvil_metadata says, with the chain that this one goes on from. */
export function forkedMetadata(remote: RemoteChain, local: Method): Method['invoke'] {
  return async (call, params) => ({
    ...(await factsOf(local, call, params)),
    forkedNetwork: {
      chainId: Number(remote.chainId),
      forkBlockNumber: Number(remote.forkBlock),
      forkBlockHash: bytesToHex(call.view.blockByNumber(remote.forkBlock)?.hash ?? new Uint8Array(32)),
    },
  })
}

/** What anvil_nodeInfo says, with the chain that this one goes on from; the URL shows no key. */
export function forkedNodeInfo(remote: RemoteChain, local: Method): Method['invoke'] {
  return async (call, params) => ({
    ...(await factsOf(local, call, params)),
    forkConfig: {
      forkUrl: remote.shownUrl,
      forkBlockNumber: Number(remote.forkBlock),
      forkRetryBackoff: null,
    },
  })
}

/** Both methods answer with an object of plain values. */
async function factsOf(
  local: Method,
  call: Call,
  params: unknown,
): Promise<Readonly<Record<string, JsonValue | undefined>>> {
  return (await local.invoke(call, params)) as Readonly<Record<string, JsonValue | undefined>>
}
