import type { RunningNode } from '../node.js'
import type { CommandSettings } from '../options.js'
import { version } from '../version.js'

/**
 * What the command prints when it is ready.
 *
 * Tools that start anvil read it: the addresses and keys in lines that begin with `(0)`, and last `Listening on` at
 * the beginning of a line.
 */
export function formatBanner(settings: CommandSettings, node: RunningNode): string {
  const { network, urls, generatedKey } = node
  const { accounts, genesis } = network
  const balance = settings.balance.toFixed(18)
  return [
    `Standin ${version}`,
    '',
    ...section(
      'Available Accounts',
      accounts.map(({ address }, i) => `(${i}) ${address} (${balance} ETH)`),
    ),
    ...section(
      'Private Keys',
      accounts.map(({ privateKey }, i) => `(${i}) ${privateKey}`),
    ),
    ...section('Wallet', [
      `Mnemonic:          ${settings.mnemonic}`,
      `Derivation path:   ${settings.derivationPath}`,
    ]),
    ...section('Chain ID', [String(network.chainId)]),
    ...(genesis.baseFee === undefined ? [] : section('Base Fee', [String(genesis.baseFee)])),
    ...section('Gas Limit', [String(genesis.gasLimit)]),
    ...(network.fork === undefined
      ? []
      : section('Fork', [`${network.fork.url}, block ${network.fork.number}`])),
    ...section('Genesis Timestamp', [String(genesis.timestamp)]),
    ...section('Genesis Number', [String(genesis.number)]),
    ...section('Addresses', [
      `JSON-RPC:          ${urls.url}`,
      `WebSocket:         ${urls.wsUrl}`,
      ...[...node.furtherNetworks].map(([name, { url }]) => `${`${name}:`.padEnd(18)} ${url}`),
      `File network:      ${urls.ipfsUrl}/api/v0`,
      `Controls:          ${urls.controlUrl}`,
      `Page:              ${urls.controlUrl}/page/`,
    ]),
    ...(generatedKey === undefined
      ? []
      : section('Key (shown once)', [
          `Key:               ${generatedKey.key}`,
          `Secret:            ${generatedKey.secret}`,
        ])),
    ...section('Node', [
      `Mode:              ${node.mode}`,
      `Data:              ${node.dataDirectory}${settings.dataDir === undefined ? ' (temporary)' : ''}`,
      `Signatures:        ${network.signatureBackend}`,
      ...(node.certificatePath === undefined ? [] : [`Certificate:       ${node.certificatePath}`]),
      `Listens on:        ${node.addresses.join(', ')}`,
    ]),
    // Launchers read one address and port here.
    `Listening on ${node.addresses[0]}`,
  ].join('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  return [title, '='.repeat(18), '', ...lines, '']
}
