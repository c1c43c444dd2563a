import type { RunningNode } from '../node.js'
import type { CommandSettings } from '../options.js'
import { version } from '../version.js'

/** The one line of `--json`: everything that a program needs. */
export function formatReadyLine(settings: CommandSettings, node: RunningNode): string {
  const { network, generatedKey } = node
  return JSON.stringify({
    version,
    ...node.urls,
    port: node.port,
    mode: node.mode,
    ...(generatedKey && { key: generatedKey.key, secret: generatedKey.secret }),
    chainId: Number(network.chainId),
    ...(network.fork && { fork: { url: network.fork.url, block: Number(network.fork.number) } }),
    networks: Object.fromEntries(node.furtherNetworks),
    mnemonic: settings.mnemonic,
    accounts: network.accounts.map(({ address, privateKey }) => ({ address, privateKey })),
    dataDir: node.dataDirectory,
    ...(node.certificatePath !== undefined && { certificatePath: node.certificatePath }),
    signatureBackend: network.signatureBackend,
  })
}
