import { multibaseByName } from '../../cid/cidEncoder.js'
import { codecCode } from '../../cid/makeCid.js'
import { codecCodeByName } from '../../dag/codecs.js'
import { FileNetworkError } from '../../errors.js'
import { defineCommand, pathArguments } from '../../request/command.js'
import { values } from '../../request/output.js'
import { emitCids } from './emitCids.js'

/** `cid/format`: rewrites CIDs. */
export const cidFormat = defineCommand({
  description: 'Convert CIDs.',
  arguments: [pathArguments('cid', 'The CIDs.')],
  options: {
    f: { type: 'string', default: '%s', description: 'Pattern of a line.' },
    v: { type: 'string', description: 'Version to convert to.' },
    mc: { type: 'string', aliases: ['codec'], description: 'Codec to convert to.' },
    b: { type: 'string', description: 'Multibase to write in.' },
  },
  run({ args, options }) {
    const { f: pattern, v: version = '', mc: codecName = '', b: baseName = '' } = options
    if (!pattern.includes('%')) {
      throw new FileNetworkError(`invalid format string: ${JSON.stringify(pattern)}`)
    }
    const codec = codecName === '' ? undefined : codecCodeByName(codecName)
    if (version === '0') checkVersion0(codec, baseName)
    else if (version !== '' && version !== '1') {
      throw new FileNetworkError(`invalid cid version: ${JSON.stringify(version)}`)
    }
    return values(
      emitCids(args, {
        pattern,
        version: version === '0' ? 0 : version === '1' || baseName !== '' ? 1 : undefined,
        codec,
        base: baseName === '' ? undefined : multibaseByName(baseName).name,
      }),
    )
  },
})

function checkVersion0(codec: number | undefined, baseName: string): void {
  if (codec !== undefined && codec !== codecCode.dagPb) {
    throw new FileNetworkError('cannot convert to CIDv0 with any codec other than dag-pb')
  }
  if (baseName !== '' && baseName !== 'base58btc') {
    throw new FileNetworkError('cannot convert to CIDv0 with any multibase other than the implicit base58btc')
  }
}
