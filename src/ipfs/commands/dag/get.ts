import { codecByCode, codecCodeByName } from '../../dag/codecs.js'
import { followKeys, parsePath, resolvePath } from '../../dag/path.js'
import { errorText, FileNetworkError } from '../../errors.js'
import { defineCommand, pathArgument } from '../../request/command.js'
import { bytes } from '../../request/output.js'

/** `dag/get`: a node, or a value inside it, in a codec of choice. */
export const dagGet = defineCommand({
  description: 'Get a DAG node.',
  arguments: [pathArgument('ref', 'The node.')],
  options: { 'output-codec': { type: 'string', default: 'dag-json', description: 'Codec to send it in.' } },
  async run({ args: [arg = ''], options }, { blockstore }) {
    const output = codecByCode(codecCodeByName(options['output-codec']))
    const { cid, remainder } = await resolvePath(blockstore, parsePath(arg))
    const block = await blockstore.get(cid)
    const { value } = followKeys(
      cid,
      decode(() => codecByCode(cid.code).decode(block)),
      remainder,
    )
    return bytes(
      (async function* () {
        yield output.encode(value)
      })(),
    )
  },
})

function decode(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    throw new FileNetworkError(errorText(error))
  }
}
