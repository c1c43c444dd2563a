import { codecCode } from '../../cid/cidFormat.js'
import {
  type Codec,
  codecByCode,
  codecCodeByName,
  codecText,
  decodeInSlices,
  encodeInSlices,
} from '../../dag/codecs.js'
import { decodeNode, nodeName } from '../../dag/dagPbSchema.js'
import { NotAssignableError, WrongKindError } from '../../dag/kinds.js'
import { followKeys } from '../../dag/path.js'
import { resolveText } from '../../names/nameSystem.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError } from '../../errors.js'
import { bytes, defineCommand, pathArgument } from '../../request/command.js'

/** `dag/get`: returns a node, or a value inside it, in a chosen codec. */
export const dagGet = defineCommand({
  description: 'Get a DAG node.',
  arguments: [pathArgument('ref', 'Node.', 'missing')],
  options: { 'output-codec': { type: 'string', default: 'dag-json', description: 'Codec of the answer.' } },
  async run({ args: [arg = ''], options, signal }, { blockstore, names }) {
    const outputCode = codecCodeByName(options['output-codec'])
    const { cid, remainder } = await resolveText({ blockstore, names }, arg)
    const block = await blockstore.get(cid)
    const data = await attempt(() => decodeNode(cid, block))
    const { value } = followKeys(cid, data, remainder)
    const output = encoderOf(outputCode)
    return bytes(
      (async function* () {
        const isDagPb = cid.code === codecCode.dagPb
        if (isDagPb) checkConversion(output, value, nodeName(cid, remainder, value))
        // A dag-pb node is written without the fields that are absent.
        const isRewritten = isDagPb && output.code === cid.code && value === data
        const written = isRewritten ? decodeInSlices(output, block, signal) : value
        yield await attempt(async () => encodeInSlices(output, await written, signal))
      })(),
    )
  },
})

/** Rejects what go-codec-dagpb cannot convert of a dag-pb node: anything but its data to bytes, and what is absent. */
function checkConversion(output: Codec, value: unknown, name: string): void {
  if (output.code === codecCode.raw && !(value instanceof Uint8Array))
    throw new WrongKindError(value, 'bytes', name)
  if (output.code !== codecCode.dagPb) return
  if (value === null) throw new NotAssignableError('PBNode', value, 'map')
  const isWhole = name === 'dagpb.PBNode'
  if (isWhole && (value as { Data: unknown }).Data === null) throw new WrongKindError(null, 'bytes', 'absent')
}

function encoderOf(code: number): Codec {
  try {
    return codecByCode(code, 'encoder')
  } catch (error) {
    throw new FileNetworkError(`invalid encoding: ${codecText(code)} - ${errorText(error)}`)
  }
}

/** Runs a conversion, and reports data that the codec rejects as the caller's error. */
async function attempt<T>(convert: () => Promise<T>): Promise<T> {
  try {
    return await convert()
  } catch (error) {
    throw error instanceof FileNetworkError ? error : new FileNetworkError(errorText(error))
  }
}
