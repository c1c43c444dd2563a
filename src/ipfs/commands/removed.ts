import { FileNetworkError } from '../errors.js'
import { type ArgumentSpec, type Command, defineCommand, pathArguments } from '../request/command.js'

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

/** Operations that Kubo removed or never answers without peers, by their paths. */
export const removedCommands: readonly (readonly [path: string, command: Command])[] = [
  ...['data', 'get', 'links', 'new', 'patch/append-data', 'patch/set-data', 'put', 'stat'].map(
    (name) => [`object/${name}`, objects] as const,
  ),
  ...['findpeer', 'findprovs', 'get', 'provide', 'put'].map((name) => [`dht/${name}`, routing] as const),
  ['dht/query', query],
]
