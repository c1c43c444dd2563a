/** Where hardhat finds a node. */
export interface HardhatNetworkOptions {
  /** JSON-RPC; defaults to `RPC_URL` in the environment, as set by `standin exec`, or to the default address. */
  url?: string | undefined
  /** Defaults to `CHAIN_ID` in the environment, or 31337. */
  chainId?: number | undefined
}

/** Network configuration for hardhat 2 and 3. */
export interface HardhatNetwork {
  /** Kind of network; ignored by hardhat 2. */
  type: 'http'
  url: string
  chainId: number
  /** The node signs for its own accounts. */
  accounts: 'remote'
  /** Milliseconds. */
  timeout: number
}

/** A node's default address. */
const defaultUrl = 'http://127.0.0.1:8545/v3/local'

/**
 * Returns an entry for `networks` in a hardhat configuration.
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
