import { createCidEncoder } from '../cid/cidFormat.js'
import { parsePath, resolvePath } from '../dag/path.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { defineCommand, parseGoDuration, pathArgument, single } from '../request/command.js'
import { baseNameOf } from './cid/format.js'

/** `resolve`: resolves a path or name to the path of its block. */
export const resolve = defineCommand({
  description: 'Resolve a path or an IPNS name.',
  arguments: [pathArgument('name', 'Path or name.')],
  options: {
    recursive: {
      type: 'bool',
      aliases: ['r'],
      default: true,
      description: 'Resolve until the result is not an IPNS name.',
    },
    'dht-record-count': { type: 'int', aliases: ['dhtrc'], description: 'No effect.' },
    'dht-timeout': { type: 'string', aliases: ['dhtt'], description: 'No effect.' },
  },
  text: ({ Path }: { Path: string }) => `${Path}\n`,
  async run({ args: [arg = ''], options, encodeCid, cidBase }, { blockstore, names }) {
    const isName = arg.startsWith('/ipns/') && cleanSegments(arg).length > 1
    if (isName && !options.recursive) {
      if (options['dht-timeout'] !== undefined) parseGoDuration(options['dht-timeout'])
      return single({ Path: await names.resolve(arg, 1) })
    }
    const path = isName ? await names.resolve(`/${cleanSegments(arg).join('/')}`) : arg
    const { cid, remainder } = await resolvePath(blockstore, parsePath(path))
    const { namespace } = parsePath(path)
    const encode = cidBase === undefined && !isName ? baseOfPath(arg) : encodeCid
    return single({ Path: ['', namespace, encode(cid), ...remainder].join('/') })
  },
})

/** Returns an encoder for the base of the CID in a path. */
export function baseOfPath(path: string): ReturnType<typeof createCidEncoder> {
  const [first = '', second = ''] = cleanSegments(path)
  const text = /^ip(fs|ld)$/.test(first) ? second : first
  return createCidEncoder(text.startsWith('Qm') ? undefined : baseNameOf(text))
}
