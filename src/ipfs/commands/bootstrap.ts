import { linesOfText } from '../request/textForm.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { type AddressPart, formatMultiaddress, parseMultiaddress, peerOf } from '../names/multiaddress.js'
import { FileNetworkError } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { type ArgumentSpec, defineCommand, optionalArguments, single } from '../request/command.js'

const peerArgument: ArgumentSpec = optionalArguments('peer', 'Multiaddresses that end in a peer id.', 'all')

/** Formats the peers in sorted order, one per line. */
function textOfPeers(prefix: string): (output: { Peers: string[] | null }) => Iterable<string> {
  return ({ Peers }) => linesOfText([...(Peers ?? [])].sort().map((peer) => prefix + peer))
}

/** `bootstrap/list`: lists the configured peers, which are never contacted. */
export const bootstrapList = defineCommand({
  description: 'List the configured bootstrap peers.',
  arguments: [],
  options: {
    'expand-auto': { type: 'bool', description: 'No effect: there are no automatic values.' },
  },
  text: textOfPeers(''),
  run({ options }, network) {
    const peers = peersOf(network)
    return options['expand-auto'] ? single({ Peers: peers.length === 0 ? null : peers }) : listPeers(network)
  },
})

/** `bootstrap`: like `bootstrap/list`, without options. */
export const bootstrap = defineCommand({
  description: bootstrapList.description,
  arguments: [],
  options: {},
  text: textOfPeers(''),
  run: (_, network) => listPeers(network),
})

/** `bootstrap/add`: puts peers in front of the configured ones. */
export const bootstrapAdd = defineCommand({
  description: 'Add bootstrap peers to the configuration.',
  arguments: [peerArgument],
  options: {},
  text: textOfPeers('added '),
  async run({ args }, network) {
    if (args.length === 0) throw new FileNetworkError('no bootstrap peers to add')
    if (args.some((peer) => peer === 'default' || peer === 'auto')) throw noDefaultPeers()
    await runInSlices(checkReachable(args), new TimeSlice())
    const added = new Set(args)
    const others = peersOf(network).filter((peer) => !added.has(peer))
    await network.configuration.rewrite('Bootstrap', [...added, ...others])
    return single({ Peers: [...added] })
  },
})

/** `bootstrap/rm`: removes peers from the configuration. */
export const bootstrapRm = defineCommand({
  description: 'Remove bootstrap peers from the configuration.',
  arguments: [peerArgument],
  options: { all: { type: 'bool', description: 'Remove all peers.' } },
  text: textOfPeers('removed '),
  async run({ args, options }, network) {
    if (options.all) return removeAll(network)
    const named = await runInSlices(peersIn(args), new TimeSlice())
    const unwanted = new Map(named.map(({ id, transports }) => [id, new Set(transports)]))
    const removed: Peer[] = []
    const kept: Peer[] = []
    for (const { id, transports } of await runInSlices(peersIn(peersOf(network)), new TimeSlice())) {
      const given = unwanted.get(id)
      // A peer alone stands for all its addresses.
      const isUnwanted = (transport: string): boolean =>
        given !== undefined && (given.size === 0 || given.has(transport))
      const parts = {
        removed: transports.filter(isUnwanted),
        kept: transports.filter((one) => !isUnwanted(one)),
      }
      const isBare = transports.length === 0
      if (parts.removed.length > 0 || (isBare && given?.size === 0))
        removed.push({ id, transports: parts.removed })
      if (parts.kept.length > 0 || (isBare && given === undefined)) kept.push({ id, transports: parts.kept })
    }
    await network.configuration.rewrite('Bootstrap', kept.flatMap(addressesOf))
    return single({ Peers: removed.flatMap(addressesOf) })
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
  const removed = await runInSlices(peersIn(peersOf(network)), new TimeSlice())
  await network.configuration.rewrite('Bootstrap', null)
  return single({ Peers: removed.flatMap(addressesOf) })
}

function peersOf({ configuration }: NetworkContext): string[] {
  return (configuration.get('Bootstrap') as string[] | null) ?? []
}

/** Rejects addresses that name no peer, or only a peer without a transport. */
function* checkReachable(addresses: readonly string[]): Steps<void> {
  for (const address of addresses) {
    const parts = parseMultiaddress(address)
    if (peerOf(parts) === undefined) throw new FileNetworkError(`invalid bootstrap address: ${address}`)
    if (parts.length === 1) throw new FileNetworkError(`bootstrap address without a transport: ${address}`)
    yield
  }
}

/** A peer with the addresses at which it can be reached, without its ID. */
interface Peer {
  id: string
  transports: string[]
}

/**
 * Groups addresses by the peers that they name (go-libp2p, `peer.AddrInfosFromP2pAddrs`).
 *
 * @throws {@link FileNetworkError} for an address that is malformed or names no peer
 */
export function* peersIn(addresses: readonly string[]): Steps<Peer[]> {
  const parsed: AddressPart[][] = []
  for (const address of addresses) {
    parsed.push(parseMultiaddress(address))
    yield
  }
  const peers = new Map<string, Peer>()
  for (const parts of parsed) {
    const id = peerOf(parts)
    if (id === undefined) throw new FileNetworkError('invalid p2p multiaddr')
    const peer = peers.get(id) ?? { id, transports: [] }
    if (parts.length > 1) peer.transports.push(formatMultiaddress(parts.slice(0, -1)))
    peers.set(id, peer)
  }
  return [...peers.values()]
}

function addressesOf({ id, transports }: Peer): string[] {
  return transports.length === 0 ? [`/p2p/${id}`] : transports.map((transport) => `${transport}/p2p/${id}`)
}

function noDefaultPeers(): FileNetworkError {
  return new FileNetworkError(
    'cannot add default bootstrap peers: AutoConf is disabled (AutoConf.Enabled=false). Enable AutoConf by setting ' +
      'AutoConf.Enabled=true in your config, or add specific peer addresses instead',
  )
}
