import type { NodeHooks, RunningNode } from '../node.js'
import type { CommandSettings } from '../options.js'
import { version } from '../version.js'

/**
 * Formats what the command prints when ready.
 *
 * Tools that start anvil parse it: addresses and keys in lines that begin with `(0)`, and finally `Listening on` at
 * the start of a line.
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
    // Launchers read a single address and port here.
    `Listening on ${node.addresses[0]}`,
  ].join('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  return [title, '='.repeat(18), '', ...lines, '']
}

/** Formats the line of `--json`: everything a program needs. */
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

type Block = Parameters<NonNullable<NodeHooks['block']>>[1]
type FailedRequest = Parameters<NonNullable<NodeHooks['failure']>>[0]

/** Formats the line for a new head. @param network - to show, if there are several */
export function formatBlockLine(block: Block, network: string | undefined): string {
  const count = block.transactions.length
  const place = network === undefined ? '' : `${network} `
  const transactions = `${count} transaction${count === 1 ? '' : 's'}`
  return `${place}Block ${block.header.number}: ${transactions}, ${block.header.gasUsed} gas`
}

/** Formats the line for a failed request. */
export function formatFailureLine(request: FailedRequest, { showNetwork }: { showNetwork: boolean }): string {
  const { network, transport, method, status, error } = request
  const place = showNetwork ? `${network} ` : ''
  const name = method ?? (transport === 'upgrade' ? 'WebSocket upgrade' : 'request')
  return `${place}${name} failed: ${error === undefined ? status : `${error.message} (${error.code})`}`
}
