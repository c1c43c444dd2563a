/** Where hardhat finds a node. */
export interface HardhatNetworkOptions {
  /** JSON-RPC; `RPC_URL` of the environment, as `standin exec` sets it, or the default address unless given. */
  url?: string | undefined
  /** `CHAIN_ID` of the environment or 31337 unless given. */
  chainId?: number | undefined
}

/** A network as hardhat 2 and 3 take it in their configuration. */
export interface HardhatNetwork {
  /** What kind of network it is; hardhat 2 does not look. */
  type: 'http'
  url: string
  chainId: number
  /** The node signs for its own accounts. */
  accounts: 'remote'
  /** Milliseconds. */
  timeout: number
}

/** Where a node listens unless told otherwise. */
const defaultUrl = 'http://127.0.0.1:8545/v3/local'

/**
 * The entry for `networks` in a hardhat configuration.
 *
 * @example
 * module.exports = { solidity: '0.8.28', networks: { standin: standinNetwork() } }
 * // then: npx standin exec -- npx hardhat test --network standin
 */
export function standinNetwork({ url, chainId }: HardhatNetworkOptions = {}): HardhatNetwork {
  return {
    type: 'http',
    url: url ?? process.env['RPC_URL'] ?? defaultUrl,
    chainId: chainId ?? Number(process.env['CHAIN_ID'] ?? 31337),
    accounts: 'remote',
    timeout: 60_000,
  }
}
