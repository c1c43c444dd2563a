import { FileNetworkError } from '../errors.js'
import { type ArgumentSpec, type Command, defineCommand, pathArguments } from '../request/command.js'

/**
 * Operations of Kubo 0.42.0 that are answered with 404: they need peers, a remote service, a mount, or Kubo's own
 * process.
 */
export const unavailableOperations: ReadonlySet<string> = new Set([
  ...['bitswap/ledger', 'bitswap/reprovide', 'diag/cmds', 'diag/cmds/clear', 'diag/cmds/set-time'],
  ...[
    'diag/datastore/count',
    'diag/datastore/get',
    'diag/datastore/put',
    'diag/healthy',
    'diag/profile',
    'diag/sys',
  ],
  ...['log/level', 'log/ls', 'log/tail', 'mount'],
  ...['name/get', 'name/inspect', 'name/put', 'name/pubsub/cancel', 'name/pubsub/state', 'name/pubsub/subs'],
  ...['key/import', 'p2p/close', 'p2p/forward', 'p2p/listen', 'p2p/ls'],
  ...['p2p/stream/close', 'p2p/stream/ls', 'pin/remote/add', 'pin/remote/ls', 'pin/remote/rm'],
  ...['pin/remote/service/add', 'pin/remote/service/ls', 'pin/remote/service/rm', 'ping', 'provide/clear'],
  ...[
    'provide/stat',
    'pubsub/ls',
    'pubsub/peers',
    'pubsub/pub',
    'pubsub/sub',
    'pubsub/reset',
    'repo/migrate',
  ],
  ...[
    'routing/findpeer',
    'routing/findprovs',
    'routing/get',
    'routing/provide',
    'routing/put',
    'routing/reprovide',
  ],
  ...['shutdown', 'stats/dht', 'stats/provide', 'stats/reprovide', 'swarm/addrs/autonat', 'swarm/connect'],
  ...['swarm/disconnect', 'swarm/filters', 'swarm/filters/add', 'swarm/filters/rm', 'swarm/peering/add'],
  ...['swarm/peering/ls', 'swarm/peering/rm', 'swarm/resources', 'update', 'version/check'],
])

/** An operation that Kubo 0.42.0 still knows by name and no longer has. */
function removedCommand(instead: string, args: readonly ArgumentSpec[] = []): Command {
  return defineCommand({
    description: `Removed: use ${instead} instead.`,
    arguments: args,
    options: {},
    run() {
      throw new FileNetworkError(`removed, use ${instead} instead`)
    },
  })
}

const objects = removedCommand("'ipfs dag' or 'ipfs files'")
const routing = removedCommand("'ipfs routing'")

/** `dht/query`: the one that is left, which needs a DHT. */
const query = defineCommand({
  description: 'Refused: there is no DHT.',
  arguments: [pathArguments('peerID', 'A peer.')],
  options: { verbose: { type: 'bool', aliases: ['v'], description: 'For command lines.' } },
  run() {
    throw new FileNetworkError('routing service is not a DHT')
  },
})

/** An operation of the filestore, an experiment of Kubo that is off unless its configuration turns it on. */
function filestoreCommand(args: readonly ArgumentSpec[], options: readonly string[]): Command {
  return defineCommand({
    description: 'Refused: the filestore is not enabled.',
    arguments: args,
    options: Object.fromEntries(
      options.map((name) => [name, { type: 'bool', description: 'No effect.' }] as const),
    ),
    run() {
      throw new FileNetworkError('filestore is not enabled, see https://git.io/vNItf')
    },
  })
}

const objectsOfStore: ArgumentSpec = {
  name: 'obj',
  kind: 'string',
  required: false,
  variadic: true,
  description: 'CIDs.',
}

/** Operations that Kubo removed, or never answers without peers or experiments, by their paths. */
export const removedCommands: readonly (readonly [path: string, command: Command])[] = [
  ...['data', 'get', 'links', 'new', 'patch/append-data', 'patch/set-data', 'put', 'stat'].map(
    (name) => [`object/${name}`, objects] as const,
  ),
  ...['findpeer', 'findprovs', 'get', 'provide', 'put'].map((name) => [`dht/${name}`, routing] as const),
  ['dht/query', query],
  ['filestore/dups', filestoreCommand([], [])],
  ['filestore/ls', filestoreCommand([objectsOfStore], ['file-order'])],
  ['filestore/verify', filestoreCommand([objectsOfStore], ['file-order', 'remove-bad-blocks'])],
]
