import { parseName, peerIdText } from '../names/keystore.js'
import { formatMultiaddress, parseMultiaddress, peerOf } from '../names/multiaddress.js'
import { linesOfText, printable } from '../request/textForm.js'
import { FileNetworkError } from '../errors.js'
import { defineCommand, pathArguments, single } from '../request/command.js'
import { needsOnlineMode } from './offline.js'

/*
 * What a Kubo says that is online and has no peers. Where Kubo runs with `--offline` it refuses these operations with
 * status 500; clients that ask for peers before anything else would stop there.
 */

/** `swarm/peers`: nobody is connected. */
export const swarmPeers = defineCommand({
  description: 'List the connected peers: none.',
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

const addressArgument = pathArguments('address', 'Multiaddresses with a peer id at the end.')

/** `swarm/connect`: no peer can be reached. */
export const swarmConnect = defineCommand({
  description: 'Connect to peers: none can be reached.',
  arguments: [addressArgument],
  options: {},
  run({ args }) {
    const [peer = ''] = args.map(idOf)
    throw new FileNetworkError(`connect ${peer} failure: ${needsOnlineMode}`)
  },
})

/** `swarm/disconnect`: no peer is connected. */
export const swarmDisconnect = defineCommand({
  description: 'Disconnect from peers: none is connected.',
  arguments: [addressArgument],
  options: {},
  text: ({ Strings }: { Strings: string[] }) => linesOfText(Strings.map(printable)),
  run: ({ args }) =>
    single({ Strings: args.map((address) => `disconnect ${idOf(address)} failure: ${needsOnlineMode}`) }),
})

/** The id of the peer that an address ends with. */
function idOf(address: string): string {
  const parts = parseMultiaddress(address)
  const peer = peerOf(parts)
  if (peer === undefined) throw new FileNetworkError(`found no ipfs peers at ${formatMultiaddress(parts)}`)
  const name = parseName(peer)
  return name === undefined ? peer : peerIdText(name)
}

/** `swarm/addrs`: no addresses of others are known. */
export const swarmAddrs = defineCommand({
  description: 'List the known addresses of peers: none.',
  arguments: [],
  options: {},
  text: () => '',
  run: () => single({ Addrs: {} }),
})

/** `swarm/addrs/listen`: nothing listens for peers. */
export const swarmListenAddrs = defineCommand({
  description: 'List the addresses that listen for peers: none.',
  arguments: [],
  options: {},
  text: () => '',
  run: () => single({ Strings: null }),
})

/** `swarm/addrs/local`: the same with an option. */
export const swarmLocalAddrs = defineCommand({
  ...swarmListenAddrs,
  options: { id: { type: 'bool', description: 'No effect: there are no addresses.' } },
})
