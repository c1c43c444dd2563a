import type { Compat } from '../rpc/backend.js'
import { clientVersion, version } from '../version.js'

/**
 * What web3_clientVersion answers: the node's own name, or one that begins as the client libraries of another
 * development node want it.
 */
export const clientVersions: Readonly<Record<Compat | 'standin', string>> = {
  standin: clientVersion,
  anvil: `anvil/v1.7.1/Standin/v${version}`,
  hardhat: `HardhatNetwork/2.29.1/Standin/v${version}`,
  ganache: `Ganache/v7.9.2/EthereumJS TestRPC/v7.9.2/Standin/v${version}`,
}
