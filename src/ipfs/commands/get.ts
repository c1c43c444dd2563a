import { Readable, pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { writeTar } from '../unixfs/tar.js'
import { resolveText } from '../names/nameSystem.js'
import { FileNetworkError } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { bytes, defineCommand, pathArgument } from '../request/command.js'
import { loadEntry } from '../unixfs/entry.js'
import { readFile } from '../unixfs/readFile.js'

/** `get`: returns files and directories as a tar archive; with only `compress`, the bare file in gzip. */
export const get = defineCommand({
  description: 'Download files and directories.',
  arguments: [pathArgument('ipfs-path', 'Path to download.', 'missing')],
  options: {
    output: { type: 'string', aliases: ['o'], description: 'No effect: for command-line clients.' },
    archive: { type: 'bool', aliases: ['a'], description: 'Send a tar archive even when compressing.' },
    compress: { type: 'bool', aliases: ['C'], description: 'Compress with gzip.' },
    'compression-level': { type: 'int', aliases: ['l'], description: 'Compression level, 1 to 9.' },
    progress: {
      type: 'bool',
      aliases: ['p'],
      default: true,
      description: 'No effect: for command-line clients.',
    },
  },
  async run({ args: [arg = ''], options }, { blockstore, names }) {
    const level = options['compression-level']
    if (options.compress && level !== undefined && (level < 1 || level > 9)) {
      throw new FileNetworkError('compression level must be between 1 and 9')
    }
    const { cid } = await resolveText({ blockstore, names }, arg)
    const entry = await loadEntry(blockstore, cid)
    const length = entry.type === 'directory' ? entry.cumulativeSize : entry.size
    const compress = (source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
      pipeline(
        Readable.from(source, { objectMode: false }),
        createGzip(level === undefined ? {} : { level }),
        () => undefined,
      )

    if (options.compress && !options.archive) {
      if (entry.type === 'directory') throw new FileNetworkError('file is not regular')
      return bytes(compress(readFile(blockstore, entry)), { contentType: 'application/gzip', length })
    }
    const name = cleanSegments(arg.replace(/^ipfs:\/\//, '')).at(-1) ?? cid.toString()
    const keepsNanoseconds = options.archive !== true
    const tar = inBlocks(writeTar(blockstore, entry, { name, keepsNanoseconds }))
    if (options.compress) return bytes(compress(tar), { contentType: 'application/gzip', length })
    return bytes(tar, { contentType: 'application/x-tar', length })
  },
})

/** Bytes that Kubo collects before it sends them. */
const SENT_AT_ONCE = 1_048_576

/** Holds back what Kubo collects, which is lost when the rest cannot be read. */
async function* inBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let collected: Uint8Array[] = []
  let length = 0
  for await (const bytes of source) {
    collected.push(bytes)
    length += bytes.length
    if (length < SENT_AT_ONCE) continue
    yield* collected
    collected = []
    length = 0
  }
  yield* collected
}
