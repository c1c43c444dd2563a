import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { allowBigBlock, readBlock } from '../../blockSize.js'
import { hashFunctionByName, identityCode, isHashName, sha256Code } from '../../cid/hashFunctions.js'
import type { HashFunction } from '../../cid/hashFunctions.js'
import { codecCode } from '../../cid/makeCid.js'
import { codecCodeByName } from '../../dag/codecs.js'
import { FileNetworkError } from '../../errors.js'
import { defineCommand, fileArguments } from '../../request/command.js'
import { values } from '../../request/output.js'

/** How the CIDs of blocks are made. */
interface BlockFormat {
  version: 0 | 1
  codec: number
  hash: HashFunction
  /** Bytes of the digest; undefined: all of it. */
  length: number | undefined
}

/** `block/put`: stores blocks as they are. Nothing is checked but their size. */
export const blockPut = defineCommand({
  description: 'Store raw blocks.',
  arguments: [fileArguments('data', 'The blocks.')],
  options: {
    'cid-codec': { type: 'string', default: 'raw', description: 'Codec of the CIDs.' },
    mhtype: { type: 'string', description: 'Hash function. Default: sha2-256.' },
    mhlen: { type: 'int', default: -1, description: 'Bytes of the digest to keep; -1: all.' },
    pin: { type: 'bool', default: false, description: 'Pin the blocks recursively.' },
    'allow-big-block': allowBigBlock,
    format: { type: 'string', aliases: ['f'], description: 'v0, protobuf, cbor or a codec: the old way.' },
  },
  async run({ options, upload, encodeCid, signal }, network) {
    const format = await readFormat(options)
    return values(
      (async function* () {
        const session = network.blockstore.openSession()
        try {
          for await (const entry of upload.entries()) {
            signal.throwIfAborted()
            if (entry.kind !== 'file') throw new FileNetworkError('expected a file')
            const data = await readBlock(entry.content, options)
            const cid = makeBlockCid(format, data)
            await session.put(cid, data)
            if (options.pin) await network.pins.set({ cid, mode: 'recursive', name: '' })
            yield { Key: encodeCid(cid), Size: data.length }
          }
        } finally {
          session.end()
        }
      })(),
    )
  },
})

async function readFormat(options: {
  'cid-codec': string
  mhtype: string | undefined
  mhlen: number
  format: string | undefined
}): Promise<BlockFormat> {
  const { mhtype = 'sha2-256', mhlen, format = '' } = options
  if (!isHashName(mhtype)) throw new FileNetworkError(`unrecognized multihash function: ${mhtype}`)
  const hash = await hashFunctionByName(mhtype)
  const length = mhlen < 0 ? undefined : mhlen
  if (length !== undefined && length > hash.digest(new Uint8Array()).length && hash.code !== identityCode) {
    throw new FileNetworkError('requested length was too large for digest')
  }
  const codecName = options['cid-codec']
  if (format === '') return { version: 1, codec: codecCodeByName(codecName), hash, length }
  if (codecName !== '' && codecName !== 'raw') {
    throw new FileNetworkError(
      'unable to use "format" (deprecated) and a custom "cid-codec" at the same time',
    )
  }
  const codec = codecCodeByName(legacyNames.get(format) ?? format)
  const version = format === 'v0' ? 0 : 1
  if (version === 0 && (hash.code !== sha256Code || (length !== undefined && length !== 32))) {
    throw new FileNetworkError('only sha2-255-32 is allowed with CIDv0')
  }
  return { version, codec, hash, length }
}

const legacyNames = new Map([
  ['v0', 'dag-pb'],
  ['protobuf', 'dag-pb'],
  ['cbor', 'dag-cbor'],
])

function makeBlockCid({ version, codec, hash, length }: BlockFormat, data: Uint8Array): CID {
  const digest = Digest.create(hash.code, hash.digest(data).slice(0, length))
  return version === 0 ? CID.create(0, codecCode.dagPb, digest) : CID.createV1(codec, digest)
}
