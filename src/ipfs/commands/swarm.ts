import { defineCommand, single } from '../request/command.js'

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
  run: () => single({ Peers: null }),
})

/** `swarm/addrs`: no addresses of others are known. */
export const swarmAddrs = defineCommand({
  description: 'List the known addresses of peers: none.',
  arguments: [],
  options: {},
  run: () => single({ Addrs: {} }),
})

/** `swarm/addrs/local` and `swarm/addrs/listen`: nothing listens for peers. */
export const swarmLocalAddrs = defineCommand({
  description: 'List the addresses that listen for peers: none.',
  arguments: [],
  options: { id: { type: 'bool', description: 'No effect: there are no addresses.' } },
  run: () => single({ Strings: null }),
})
