import { createCidEncoder } from '../cid/cidFormat.js'
import { parsePath, resolvePath } from '../dag/path.js'
import { tryParseCid } from '../cid/parseCid.js'
import { cleanPath, cleanSegments } from '../mfs/filesPath.js'
import { isNamePath } from '../names/nameSystem.js'
import { defineCommand, pathArgument, single } from '../request/command.js'
import { baseNameOf } from './cid/format.js'
import { checkDhtTimeout } from './name/resolve.js'

/** `resolve`: resolves a path or name to the path of its block. */
export const resolve = defineCommand({
  description: 'Resolve a path or an IPNS name.',
  arguments: [pathArgument('name', 'Path or name.', 'missing')],
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
    if (arg.startsWith('/ipns/') && !options.recursive) {
      if (options['dht-timeout'] !== undefined) checkDhtTimeout(options['dht-timeout'])
      if (isNamePath(arg)) return single({ Path: await names.resolve(cleanPath(arg), 1) })
    }
    const path = isNamePath(arg) ? await names.resolve(`/${cleanSegments(arg).join('/')}`) : arg
    const { cid, remainder } = await resolvePath(blockstore, parsePath(path))
    const { namespace } = parsePath(path)
    const encode = cidBase === undefined && !arg.startsWith('/ipns/') ? baseOfPath(arg) : encodeCid
    const resolved = ['', namespace, encode(cid), ...remainder].join('/')
    // Digits of base64 include the slash.
    parsePath(resolved)
    return single({ Path: `/${cleanSegments(resolved).join('/')}` })
  },
})

/**
 * Returns an encoder for the base of the CID that a path seems to begin with, before or after its namespace (Kubo,
 * `CidEncoderFromPath`).
 */
export function baseOfPath(path: string): ReturnType<typeof createCidEncoder> {
  const [first = '', , third = ''] = path.split('/')
  const text = first === '' ? third : first
  return createCidEncoder(tryParseCid(text)?.version === 1 ? baseNameOf(text) : undefined)
}
