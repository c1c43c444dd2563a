import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { allowBigBlock, checkBlockSize, readAll } from '../../blockSize.js'
import {
  type HashFunction,
  UnregisteredHashError,
  checkDigest,
  digestInSlices,
  hashFunctionByCodecName,
} from '../../cid/cidFormat.js'
import { codecByCode, codecCodeByName, codecName, decodeInSlices, encodeInSlices } from '../../dag/codecs.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError } from '../../errors.js'
import { defineCommand, fileArguments, values } from '../../request/command.js'
import { contentOf } from '../../request/upload.js'

/** The longest accepted input, in bytes. */
const INPUT_LIMIT = 64 * 1024 * 1024

/** `dag/put`: converts data from one codec to another and stores it. */
export const dagPut = defineCommand({
  description: 'Store data as a DAG node.',
  arguments: [fileArguments('object data', 'Data.')],
  options: {
    'store-codec': { type: 'string', default: 'dag-cbor', description: 'Codec to store the node in.' },
    'input-codec': { type: 'string', default: 'dag-json', description: 'Codec of the input.' },
    pin: { type: 'bool', description: 'Pin the node recursively.' },
    hash: { type: 'string', description: 'Hash function. Default: `Import.HashFunction`.' },
    'allow-big-block': allowBigBlock,
  },
  text: ({ Cid }: { Cid: { '/': string } }, { encodeCid }) => `${encodeCid(CID.parse(Cid['/']))}\n`,
  async run({ options, upload, signal }, network) {
    const inputCode = codecCodeByName(options['input-codec'])
    const storeCode = codecCodeByName(options['store-codec'])
    const hash = await hashFunctionOf(options.hash || network.configuration.hashName())
    const input = codecByCode(inputCode)
    const store = codecByCode(storeCode, 'encoder')
    return values(
      (async function* () {
        const session = network.blockstore.openSession()
        try {
          for await (const entry of upload.entries()) {
            signal.throwIfAborted()
            const content = contentOf(entry)
            if (content === undefined) throw new FileNetworkError('expected a regular file')
            const encoded = await readAll(content, INPUT_LIMIT)
            const data = await convert(() => decodeInSlices(input, encoded, signal))
            const bytes = await convert(() => encodeInSlices(store, data, signal))
            checkBlockSize(bytes.length, options)
            const digest = await digestInSlices(hash, bytes)
            checkDigest(hash, digest.length)
            const cid = CID.createV1(store.code, Digest.create(hash.code, digest))
            await session.put(cid, bytes)
            // The blocks it links to may be missing.
            if (options.pin) await network.pins.set({ cid, mode: 'recursive', name: '' })
            yield { Cid: { '/': cid.toString() } }
          }
        } finally {
          session.end()
        }
      })(),
    )
  },
})

/** Returns the hash function for the name or number of a multicodec. */
async function hashFunctionOf(text: string): Promise<HashFunction> {
  const code = codecCodeByName(text)
  const name = codecName(code) ?? text
  const digest = (): never => {
    throw new UnregisteredHashError(code)
  }
  return (await hashFunctionByCodecName(name)) ?? { name, code, digest }
}

/** Runs a conversion, and reports data that the codec rejects, or that is nested too deep, as the caller's error. */
async function convert<T>(conversion: () => Promise<T>): Promise<T> {
  try {
    return await conversion()
  } catch (error) {
    throw error instanceof FileNetworkError ? error : new FileNetworkError(errorText(error))
  }
}
