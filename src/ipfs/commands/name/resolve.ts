import { InvalidPathError } from '../../dag/path.js'
import { FileNetworkError } from '../../errors.js'
import { cleanPath, cleanSegments } from '../../mfs/filesPath.js'
import { UnresolvedNameError } from '../../names/nameSystem.js'
import { defineCommand, nothing, optionalArgument, single, valuesOf } from '../../request/command.js'
import { parseGoDuration } from '../../request/goDuration.js'

/** @throws FileNetworkError for a time that is no duration, or negative */
export function checkDhtTimeout(text: string): void {
  if (parseGoDuration(text) < 0) throw new FileNetworkError('DHT timeout value must be >= 0')
}

/** `name/resolve`: returns the path published under a name, by default the node's own. */
export const nameResolve = defineCommand({
  description: 'Resolve an IPNS name.',
  arguments: [optionalArgument('name', "Name. Default: the node's own.")],
  options: {
    recursive: {
      type: 'bool',
      aliases: ['r'],
      default: true,
      description: 'Resolve until the result is not an IPNS name.',
    },
    nocache: { type: 'bool', aliases: ['n'], description: 'No effect: nothing is cached.' },
    'dht-record-count': { type: 'uint', aliases: ['dhtrc'], default: 16, description: 'No effect.' },
    'dht-timeout': { type: 'string', aliases: ['dhtt'], default: '1m0s', description: 'No effect.' },
    stream: { type: 'bool', aliases: ['s'], description: 'Send a line for each record.' },
  },
  text: ({ Path }: { Path: string }) => `${Path}\n`,
  async run({ args: [arg], options }, { names, identity }) {
    const name = arg ?? identity.id
    checkDhtTimeout(options['dht-timeout'])
    const given = name.startsWith('/ipns/') ? name : `/ipns/${name}`
    const path = cleanPath(given)
    if (cleanSegments(given).length < 2) {
      throw new InvalidPathError(given, 'path does not have enough components')
    }
    const depth = options.recursive ? undefined : 1
    if (!options.stream) return single({ Path: await names.resolve(path, depth) })
    try {
      return valuesOf({ Path: await names.resolve(path, depth) })
    } catch (error) {
      // A stream of the records found: none.
      if (error instanceof UnresolvedNameError) return nothing()
      throw error
    }
  },
})
