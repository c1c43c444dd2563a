import type { PBNode } from '@ipld/dag-pb'
import { codecCode } from '../../cid/cidFormat.js'
import {
  type Codec,
  codecByCode,
  codecCodeByName,
  codecName,
  decodeInTurns,
  decoderOf,
  encodeInTurns,
} from '../../dag/codecs.js'
import { followKeys } from '../../dag/path.js'
import { resolveText } from '../../names/nameSystem.js'
import { FileNetworkError, errorText } from '../../errors.js'
import { bytes, defineCommand, pathArgument } from '../../request/command.js'

/** `dag/get`: returns a node, or a value inside it, in a chosen codec. */
export const dagGet = defineCommand({
  description: 'Get a DAG node.',
  arguments: [pathArgument('ref', 'Node.')],
  options: { 'output-codec': { type: 'string', default: 'dag-json', description: 'Codec of the answer.' } },
  async run({ args: [arg = ''], options }, { blockstore, names }) {
    const outputCode = codecCodeByName(options['output-codec'])
    const { cid, remainder } = await resolveText({ blockstore, names }, arg)
    const block = await blockstore.get(cid)
    const decoded = await attempt(() => decodeInTurns(decoderOf(cid), block))
    const isDagPb = cid.code === codecCode.dagPb
    const data = isDagPb ? inSchemaOrder(decoded as PBNode) : decoded
    const { value } = followKeys(cid, data, remainder)
    const output = encoderOf(outputCode, options['output-codec'])
    return bytes(
      (async function* () {
        if (value === data && isDagPb && output.code === codecCode.raw) throw new NodeIsNoBytesError()
        yield await attempt(() => encodeInTurns(output, value))
      })(),
    )
  },
})

/** A map was requested as bytes (go-codec-dagpb). */
class NodeIsNoBytesError extends FileNetworkError {
  constructor() {
    super(
      'func called on wrong kind: "AsBytes" called on a dagpb.PBNode node (kind: map), but only makes sense on bytes',
    )
  }
}

/** Orders a dag-pb node as in its schema, with null for missing data, names and sizes (go-codec-dagpb). */
function inSchemaOrder({ Links, Data }: PBNode): object {
  const links = Links.map(({ Hash, Name = null, Tsize = null }) => ({ Hash, Name, Tsize }))
  return { Links: links, Data: Data ?? null }
}

function encoderOf(code: number, name: string): Codec {
  try {
    return codecByCode(code, 'encoder')
  } catch (error) {
    throw new FileNetworkError(`invalid encoding: ${codecName(code) ?? name} - ${errorText(error)}`)
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
