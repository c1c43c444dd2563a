/** A network of the node: a separate chain at separate addresses. */
export interface NetworkName {
  name: string
  chainId: bigint
}

/** Network of paths that name none. */
export const standardNetwork = 'local'

/** Chain ids of networks of hosted providers, by the names in their URLs. */
const knownNetworks: Readonly<Record<string, bigint>> = {
  mainnet: 1n,
  sepolia: 11_155_111n,
  holesky: 17_000n,
  hoodi: 560_048n,
  'arbitrum-mainnet': 42_161n,
  'arbitrum-sepolia': 421_614n,
  'avalanche-fuji': 43_113n,
  'avalanche-mainnet': 43_114n,
  'base-mainnet': 8_453n,
  'base-sepolia': 84_532n,
  'blast-mainnet': 81_457n,
  'bsc-mainnet': 56n,
  'bsc-testnet': 97n,
  'celo-mainnet': 42_220n,
  'linea-mainnet': 59_144n,
  'linea-sepolia': 59_141n,
  'mantle-mainnet': 5_000n,
  'optimism-mainnet': 10n,
  'optimism-sepolia': 11_155_420n,
  'polygon-amoy': 80_002n,
  'polygon-mainnet': 137n,
  'scroll-mainnet': 534_352n,
  'unichain-mainnet': 130n,
  'zksync-mainnet': 324n,
}

/** Names that start paths with another meaning. */
const reservedNames: ReadonlySet<string> = new Set(['v3', 'ws', 'api', 'ipfs', 'ipns', standardNetwork])

/** A `--network` value is invalid; the message is for the user. */
class NetworkNameError extends Error {
  override readonly name = 'NetworkNameError'
}

/**
 * Parses `--network` values: `NAME` for a known network, `NAME:CHAIN_ID` for any.
 *
 * @throws NetworkNameError for an unknown name without chain id, a reserved name or a duplicate
 */
export function parseNetworks(given: readonly string[]): NetworkName[] {
  const networks: NetworkName[] = []
  for (const text of given) {
    const [name = '', id] = text.split(':')
    const chainId = id === undefined ? knownNetworks[name] : BigInt(id)
    if (chainId === undefined) {
      throw new NetworkNameError(`--network: the chain id of ${name} is unknown; write ${name}:CHAIN_ID`)
    }
    if (reservedNames.has(name)) throw new NetworkNameError(`--network: the name ${name} is taken`)
    if (networks.some((other) => other.name === name)) {
      throw new NetworkNameError(`--network: ${name} is given twice`)
    }
    networks.push({ name, chainId })
  }
  return networks
}
