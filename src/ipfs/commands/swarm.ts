import { parseName, peerIdText } from '../names/keystore.js'
import { formatMultiaddress, parseMultiaddress, peerOf } from '../names/multiaddress.js'
import { linesOfText, printable } from '../request/textForm.js'
import { FileNetworkError } from '../errors.js'
import { defineCommand, pathArguments, single } from '../request/command.js'
import { needsOnlineMode } from './offline.js'

/*
 * Answers of a Kubo that is online but has no peers. With `--offline`, Kubo refuses these operations with status 500;
 * clients that ask for peers first would stop there.
 */

/** `swarm/peers`: lists connected peers; none. */
export const swarmPeers = defineCommand({
  description: 'List the connected peers: always none.',
  arguments: [],
  options: {
    verbose: { type: 'bool', aliases: ['v'], description: 'No effect: there are no peers.' },
    streams: { type: 'bool', description: 'No effect: there are no peers.' },
    latency: { type: 'bool', description: 'No effect: there are no peers.' },
    direction: { type: 'bool', description: 'No effect: there are no peers.' },
    identify: { type: 'bool', description: 'No effect: there are no peers.' },
  },
  text: () => '',
  run: () => single({ Peers: null }),
})

const addressArgument = pathArguments('address', 'Multiaddresses that end in a peer id.', 'missing')

/** `swarm/connect`: fails, since no peer can be reached. */
export const swarmConnect = defineCommand({
  description: 'Connect to peers: none is reachable.',
  arguments: [addressArgument],
  options: {},
  run({ args }) {
    const [peer = ''] = args.map(idOf)
    throw new FileNetworkError(`connect ${peer} failure: ${needsOnlineMode}`)
  },
})

/** `swarm/disconnect`: fails, since no peer is connected. */
export const swarmDisconnect = defineCommand({
  description: 'Disconnect from peers: none is ever connected.',
  arguments: [addressArgument],
  options: {},
  text: ({ Strings }: { Strings: string[] }) => linesOfText(Strings.map(printable)),
  run: ({ args }) =>
    single({ Strings: args.map((address) => `disconnect ${idOf(address)} failure: ${needsOnlineMode}`) }),
})

/** Returns the peer ID at the end of an address. */
function idOf(address: string): string {
  const parts = parseMultiaddress(address)
  const peer = peerOf(parts)
  if (peer === undefined) throw new FileNetworkError(`found no ipfs peers at ${formatMultiaddress(parts)}`)
  const name = parseName(peer)
  return name === undefined ? peer : peerIdText(name)
}

/** `swarm/addrs`: lists known addresses of peers; none. */
export const swarmAddrs = defineCommand({
  description: 'List the known addresses of peers: always none.',
  arguments: [],
  options: {},
  text: () => '',
  run: () => single({ Addrs: {} }),
})

/** `swarm/addrs/listen`: lists listen addresses for peers; none. */
export const swarmListenAddrs = defineCommand({
  description: 'List the addresses that listen for peers: always none.',
  arguments: [],
  options: {},
  text: () => '',
  run: () => single({ Strings: null }),
})

/** `swarm/addrs/local`: like `swarm/addrs/listen`, with an option. */
export const swarmLocalAddrs = defineCommand({
  ...swarmListenAddrs,
  options: { id: { type: 'bool', description: 'No effect: there are no addresses.' } },
})
