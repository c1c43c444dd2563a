import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { decodeMultibaseInSteps, multibaseByName } from '../cid/multibase.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { type Output, bytes, defineCommand, fileArgument, readFileArgument } from '../request/command.js'
import type { Upload } from '../request/upload.js'

/** The longest accepted input, in bytes. */
const INPUT_LIMIT = 64 * 1024 * 1024

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
    return written(base.encodeInParts(await readFile(upload)))
  },
})

/** `multibase/decode`: decodes multibase text. */
export const multibaseDecode = defineCommand({
  description: 'Decode a multibase string.',
  arguments: [fileArgument('encoded_file', 'Multibase string.')],
  options: {},
  async run({ upload }) {
    const content = await decode(upload)
    return bytes(
      (async function* () {
        yield content
      })(),
    )
  },
})

/** `multibase/transcode`: converts multibase text to another base. */
export const multibaseTranscode = defineCommand({
  description: 'Transcode a multibase string to another encoding.',
  arguments: [fileArgument('encoded_file', 'Multibase string.')],
  options: { b: baseOption },
  async run({ options, upload }) {
    const base = multibaseByName(options.b)
    return written(base.encodeInParts(await decode(upload)))
  },
})

async function decode(upload: Upload): Promise<Uint8Array> {
  const text = await readFile(upload)
  try {
    return await runInSlices(decodeMultibaseInSteps(text), new TimeSlice())
  } catch (error) {
    throw new FileNetworkError(`failed to decode multibase: ${errorText(error)}`)
  }
}

function readFile(upload: Upload): Promise<Uint8Array> {
  return readFileArgument(upload, INPUT_LIMIT, 'failed to access file: ')
}

function written(parts: Iterable<Uint8Array>): Output {
  return bytes(
    (async function* () {
      const slice = new TimeSlice()
      for (const part of parts) {
        yield part
        await slice.pause()
      }
    })(),
  )
}
