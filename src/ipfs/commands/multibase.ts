import { decodeMultibase, multibaseByName } from '../cid/multibase.js'
import { FileNetworkError, errorText } from '../errors.js'
import { type Output, bytes, defineCommand, fileArgument, readFileArgument } from '../request/command.js'
import type { Upload } from '../request/upload.js'

/** The longest accepted input, in bytes. */
const inputLimit = 64 * 1024 * 1024

const baseOption = {
  type: 'string',
  default: 'base64url',
  description: 'Name of the multibase encoding.',
} as const

/** `multibase/encode`: encodes bytes in a multibase. */
export const multibaseEncode = defineCommand({
  description: 'Encode data in multibase.',
  arguments: [fileArgument('file', 'Data.')],
  options: { b: baseOption },
  async run({ options, upload }) {
    const base = multibaseByName(options.b)
    return whole(base.encode(await readFile(upload)))
  },
})

/** `multibase/decode`: decodes multibase text. */
export const multibaseDecode = defineCommand({
  description: 'Decode a multibase string.',
  arguments: [fileArgument('encoded_file', 'Multibase string.')],
  options: {},
  run: async ({ upload }) => whole(decode(await readFile(upload))),
})

/** `multibase/transcode`: converts multibase text to another base. */
export const multibaseTranscode = defineCommand({
  description: 'Transcode a multibase string to another encoding.',
  arguments: [fileArgument('encoded_file', 'Multibase string.')],
  options: { b: baseOption },
  async run({ options, upload }) {
    const base = multibaseByName(options.b)
    return whole(base.encode(decode(await readFile(upload))))
  },
})

function decode(text: Uint8Array): Uint8Array {
  try {
    return decodeMultibase(Buffer.from(text).toString())
  } catch (error) {
    throw new FileNetworkError(`failed to decode multibase: ${errorText(error)}`)
  }
}

function readFile(upload: Upload): Promise<Uint8Array> {
  return readFileArgument(upload, inputLimit, 'failed to access file: expected a regular file')
}

function whole(content: Uint8Array | string): Output {
  return bytes(
    (async function* () {
      yield Buffer.from(content as string)
    })(),
  )
}
