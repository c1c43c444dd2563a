import { linesOfText } from '../request/textForm.js'
import { parseCid } from '../cid/parseCid.js'
import { parseName } from '../names/keystore.js'
import { FileNetworkError, errorText } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { type ArgumentSpec, defineCommand, optionalArguments, single } from '../request/command.js'

const peerArgument: ArgumentSpec = optionalArguments('peer', 'Multiaddresses with a peer id at the end.')

/** A line for each peer, by their texts. */
function textOfPeers(prefix: string): (output: { Peers: string[] | null }) => Iterable<string> {
  return ({ Peers }) => linesOfText([...(Peers ?? [])].sort().map((peer) => prefix + peer))
}

/** `bootstrap/list`: the configured peers, none of which is ever asked. */
export const bootstrapList = defineCommand({
  description: 'List the configured bootstrap peers.',
  arguments: [],
  options: {
    'expand-auto': { type: 'bool', description: 'No effect: nothing stands for automatic values.' },
  },
  text: textOfPeers(''),
  run({ options }, network) {
    const peers = peersOf(network)
    return options['expand-auto'] ? single({ Peers: peers.length === 0 ? null : peers }) : listPeers(network)
  },
})

/** `bootstrap`: the same, without options. */
export const bootstrap = defineCommand({
  description: bootstrapList.description,
  arguments: [],
  options: {},
  text: textOfPeers(''),
  run: (_, network) => listPeers(network),
})

/** `bootstrap/add`: puts peers before those that are configured. */
export const bootstrapAdd = defineCommand({
  description: 'Add bootstrap peers to the configuration.',
  arguments: [peerArgument],
  options: {},
  text: textOfPeers('added '),
  async run({ args }, network) {
    if (args.length === 0) throw new FileNetworkError('no bootstrap peers to add')
    if (args.some((peer) => peer === 'default' || peer === 'auto')) throw noDefaultPeers()
    for (const peer of args) {
      checkPeer(peer)
      checkTransport(peer)
    }
    const added = [...new Set(args)]
    const others = peersOf(network).filter((peer) => !added.includes(peer))
    await network.configuration.set('Bootstrap', [...added, ...others])
    return single({ Peers: added })
  },
})

/** `bootstrap/rm`: removes peers from the configuration. */
export const bootstrapRm = defineCommand({
  description: 'Remove bootstrap peers from the configuration.',
  arguments: [peerArgument],
  options: { all: { type: 'bool', description: 'Remove all of them.' } },
  text: textOfPeers('removed '),
  async run({ args, options }, network) {
    if (options.all) return removeAll(network)
    for (const peer of args) checkPeer(peer)
    const peers = peersOf(network)
    const removed = peers.filter((peer) => args.some((arg) => arg === peer || peer.endsWith(arg)))
    await network.configuration.set(
      'Bootstrap',
      peers.filter((peer) => !removed.includes(peer)),
    )
    return single({ Peers: removed })
  },
})

/** `bootstrap/rm/all`: empties the list. */
export const bootstrapRmAll = defineCommand({
  description: 'Remove all bootstrap peers from the configuration.',
  arguments: [],
  options: {},
  text: textOfPeers('removed '),
  run: (_, network) => removeAll(network),
})

function listPeers({ configuration }: NetworkContext): ReturnType<typeof single> {
  return single({ Peers: configuration.get('Bootstrap') })
}

async function removeAll(network: NetworkContext): Promise<ReturnType<typeof single>> {
  const removed = peersOf(network)
  await network.configuration.set('Bootstrap', null)
  return single({ Peers: removed })
}

function peersOf({ configuration }: NetworkContext): string[] {
  return (configuration.get('Bootstrap') as string[] | null) ?? []
}

/** Protocols that a multiaddress may begin with (go-multiaddr, `protocols.go`). */
const knownProtocols = new Set([
  ...['ip4', 'ip6', 'ip6zone', 'ipcidr', 'dns', 'dns4', 'dns6', 'dnsaddr', 'p2p', 'ipfs', 'onion', 'onion3'],
  ...[
    'garlic64',
    'garlic32',
    'unix',
    'memory',
    'tcp',
    'udp',
    'quic',
    'quic-v1',
    'ws',
    'wss',
    'http',
    'https',
    'tls',
  ],
  ...[
    'p2p-circuit',
    'p2p-webrtc-direct',
    'p2p-websocket-star',
    'webtransport',
    'certhash',
    'webrtc',
    'webrtc-direct',
  ],
  ...['sctp', 'udt', 'utp', 'dccp', 'noise', 'plaintextv2', 'sni', 'http-path'],
])

/**
 * A multiaddress without slashes at its end.
 *
 * @throws {@link FileNetworkError} with the text of go-multiaddr where it does not begin as one
 */
export function checkMultiaddress(given: string): string {
  const peer = given.replace(/\/+$/, '')
  if (!peer.startsWith('/') && peer !== '') {
    throw new FileNetworkError(`failed to parse multiaddr ${JSON.stringify(peer)}: must begin with /`)
  }
  const [, first = ''] = peer.split('/')
  if (!knownProtocols.has(first)) {
    const problem = first === '' ? 'empty multiaddr' : `unknown protocol ${first}`
    throw new FileNetworkError(`failed to parse multiaddr ${JSON.stringify(peer)}: ${problem}`)
  }
  if (first === 'p2p' || first === 'ipfs') {
    const [, , id = '', next] = peer.split('/')
    checkPeerId(peer, id)
    if (next !== undefined && !knownProtocols.has(next)) {
      throw new FileNetworkError(
        `failed to parse multiaddr ${JSON.stringify(peer)}: unknown protocol ${next}`,
      )
    }
  }
  return peer
}

/** The peer of a multiaddress: the hash of a key, or its CID (go-multiaddr, `transcoders.go`). */
function checkPeerId(address: string, id: string): void {
  if (parseName(id) !== undefined) return
  const problem = `invalid value ${JSON.stringify(id)} for protocol p2p: failed to parse p2p addr: ${id}`
  throw new FileNetworkError(
    `failed to parse multiaddr ${JSON.stringify(address)}: ${problem} ${problemOfPeerId(id)}`,
  )
}

function problemOfPeerId(id: string): string {
  if (/^(1|Qm)/.test(id)) return "input isn't valid multihash"
  try {
    return `has the invalid codec ${parseCid(id).code}`
  } catch (error) {
    return errorText(error)
  }
}

function checkPeer(given: string): void {
  const peer = checkMultiaddress(given)
  if (!/\/(p2p|ipfs)\/[1-9A-HJ-NP-Za-km-z]{40,}$/.test(peer)) {
    throw new FileNetworkError(`invalid bootstrap address: ${peer}`)
  }
}

function checkTransport(peer: string): void {
  if (!/^\/(p2p|ipfs)\/[^/]*\/*$/.test(peer)) return
  throw new FileNetworkError(`bootstrap address without a transport: ${peer}`)
}

function noDefaultPeers(): FileNetworkError {
  return new FileNetworkError(
    'cannot add default bootstrap peers: AutoConf is disabled (AutoConf.Enabled=false). Enable AutoConf by setting ' +
      'AutoConf.Enabled=true in your config, or add specific peer addresses instead',
  )
}
